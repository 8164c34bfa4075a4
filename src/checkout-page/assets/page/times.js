/* Uses the same rules as format.ts (a test compares the two). */

export const clockTime = (tag, date, articles = '', zone = {}) => {
  const parts = new Intl.DateTimeFormat(tag, {
    hour: 'numeric',
    minute: '2-digit',
    ...zone,
  }).formatToParts(date);
  const part = (type) => parts.find((one) => one.type === type)?.value ?? '';
  const hour = Number(part('hour'));
  const minute = part('minute');
  const time =
    tag === 'pt-BR'
      ? `${hour}h${minute === '00' ? '' : minute} ${part('timeZoneName')}`.trim()
      : parts.map(({ value }) => value.replace('.m.', '.\u00a0m.')).join('');
  const [one = '', other = ''] = articles.split('|');
  const article = new Intl.PluralRules(tag).select(hour) === 'one' ? one : other;
  return article === '' ? time : `${article} ${time}`;
};

export const dayAndTime = (tag, date, zone = {}) => {
  const { timeZone } = zone;
  const day = { day: 'numeric', month: 'short', year: 'numeric', timeZone };
  return `${new Intl.DateTimeFormat(tag, day).format(date)}, ${clockTime(tag, date, '', zone)}`;
};
