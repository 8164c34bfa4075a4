// What the pages do beside themselves: all of them work without it.

/** Instants in the viewer's own time zone; UTC stays to hover over. */
const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
for (const time of document.querySelectorAll('time[data-local]')) {
  time.textContent = local.format(new Date(time.dateTime));
}

for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = false;
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(button.dataset.copy ?? '').then(
      () => (button.textContent = 'Copied'),
      () => (button.textContent = 'Select and copy it'),
    );
  });
}

/** A form is sent once, however often it is pressed. */
for (const form of document.querySelectorAll('form[method="post"]')) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent === 'yes') event.preventDefault();
    form.dataset.sent = 'yes';
  });
}
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-sent]')) delete form.dataset.sent;
});

/** A page whose subject changes by itself is shown anew when it did, unless somebody is filling in a form. */
const live = document.querySelector('[data-version]');
if (live instanceof HTMLElement) {
  const look = async () => {
    if (document.hidden) return;
    const answer = await fetch(live.dataset.versionUrl ?? '', { headers: { accept: 'application/json' } });
    if (!answer.ok) return;
    const { version } = await answer.json();
    const busy = document.activeElement?.closest('form') !== null && document.activeElement !== document.body;
    if (version !== live.dataset.version && !busy) location.reload();
  };
  setInterval(() => {
    look().catch(() => undefined);
  }, 3_000);
}
