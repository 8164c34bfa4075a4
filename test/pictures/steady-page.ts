/**
 * A script for a page whose picture is taken: what differs at every run (instants, ids, ports, tokens) gets a
 * fixed text, in its text and in its fields.
 */
export const steadyPage = `(() => {
  const uuid = '0195f3a2-7c44-7b1e-9a51-2f6e5a7c8b90';
  const month = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*';
  const rules = [
    [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, uuid],
    [/\\b[A-Z0-9]{4}-[A-Z0-9]{4}\\b/g, 'KTWZ-7HQ4'],
    [/(127\\.0\\.0\\.1|localhost):\\d+/g, 'pay.example'],
    [/\\b(sk|pk|whsec|pi|ch|re|dp|cap|tok)_[A-Za-z0-9_.…·-]+/g, '$1_test_5f0c'],
    [/…[0-9a-f]{8}\\b/g, '…7c8b9041'],
    [/\\bAPI key [A-Za-z0-9]{8}\\b/g, 'API key 4VLzZdny'],
    [/\\b[A-Za-z0-9_-]{30,}\\b/g, '5f0c2b7e9a41d83c5f0c2b7e9a41d83c'],
    [new RegExp('\\\\b' + month + ' \\\\d{1,2}(, \\\\d{4})?', 'g'), 'Mar 14'],
    [new RegExp('\\\\b\\\\d{1,2} ' + month + '( \\\\d{4})?', 'g'), '14 Mar'],
    [/\\b20\\d\\d-\\d\\d-\\d\\d\\b/g, '2027-03-14'],
    [/\\b\\d{1,2}:\\d{2}(:\\d{2})?(\\.\\d+)?(\\s?[AP]M)?\\b/g, '10:04'],
    [/\\b\\d+ (second|minute|hour)s? ago\\b|\\bjust now\\b/g, '5 minutes ago'],
    [/\\bin \\d+ (second|minute|hour|day)s?\\b/g, 'in 5 minutes'],
    [/\\+ ?[\\d.,]+ ?(ms|s|min|h)\\b/g, '+1.2 s'],
    [/\\b\\d+ ms\\b/g, '12 ms'],
    [/Chrome[ /][\\d.]+/g, 'Chrome 150'],
  ];
  const steady = (text) => rules.reduce((shown, [found, fixed]) => shown.replace(found, fixed), text);
  for (const time of document.querySelectorAll('time')) time.textContent = 'Mar 14, 10:04';
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { currentNode: node } = walker;
    if (!['SCRIPT', 'STYLE'].includes(node.parentElement?.tagName ?? '')) node.data = steady(node.data);
  }
  for (const field of document.querySelectorAll('input, textarea')) {
    if (field.type === 'date') field.value = field.value && '2027-03-14';
    else if (['text', 'url', 'search', 'textarea'].includes(field.type)) field.value = steady(field.value);
  }
  document.activeElement?.blur();
})()`;
