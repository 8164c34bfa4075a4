// What the pages do beside themselves: all of them work without it.

/** Instants in the viewer's own time zone; UTC stays to hover over. */
const formats = {
  minutes: new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }),
  seconds: new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' }),
};
for (const time of document.querySelectorAll('time[data-local]')) {
  const format = formats[time.dataset.local] ?? formats.minutes;
  time.textContent = format.format(new Date(time.dateTime));
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
for (const form of document.querySelectorAll('form[method="post"]:not([data-passkey])')) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent === 'yes') event.preventDefault();
    form.dataset.sent = 'yes';
  });
}
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-sent]')) delete form.dataset.sent;
});

/** A page whose subject changed is shown anew, unless somebody fills in a form or has opened a part. */
const live = document.querySelector('[data-version]');
if (live instanceof HTMLElement) {
  const look = async () => {
    if (document.hidden) return;
    const answer = await fetch(live.dataset.versionUrl ?? '', { headers: { accept: 'application/json' } });
    if (!answer.ok) return;
    const { version } = await answer.json();
    const busy = document.activeElement?.closest('form') || live.querySelector('details[open]');
    if (version !== live.dataset.version && !busy) location.reload();
  };
  setInterval(() => {
    look().catch(() => undefined);
  }, 3_000);
}

/** Asks the browser for a passkey, and sends what it says with the form. */
const askPasskey = async (form) => {
  const answer = await fetch(form.dataset.options ?? '', { headers: { accept: 'application/json' } });
  if (answer.redirected) {
    // The server asks first who it is.
    location.assign(answer.url);
    return;
  }
  const options = await answer.json();
  const credential =
    form.dataset.passkey === 'create'
      ? await navigator.credentials.create({
          publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
        })
      : await navigator.credentials.get({
          publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
        });
  form.elements.credential.value = JSON.stringify(credential);
  form.submit();
};
for (const form of document.querySelectorAll('form[data-passkey]')) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    askPasskey(form).catch(() => {
      const said = form.querySelector('[role="alert"]') ?? document.createElement('p');
      said.className = 'notice bad';
      said.setAttribute('role', 'alert');
      said.textContent = 'The browser gave no passkey. Try again, or ask for a sign-in link.';
      form.append(said);
    });
  });
}
