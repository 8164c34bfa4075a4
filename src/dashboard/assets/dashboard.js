// Enhances the pages, all of which work without script. Its texts come from data attributes.

for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = false;
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(button.dataset.copy ?? '').then(
      () => (button.textContent = button.dataset.copied),
      () => (button.textContent = button.dataset.copyFailed),
    );
  });
}

/** A form is submitted once, also on a double click. */
for (const form of document.querySelectorAll('form[method="post"]:not([data-passkey])')) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent === 'yes') event.preventDefault();
    form.dataset.sent = 'yes';
  });
}
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-sent]')) delete form.dataset.sent;
});

/** Reloads a page whose content changed, unless a form is in use or a part is open. */
const live = document.querySelector('[data-version]');
if (live instanceof HTMLElement) {
  const reloadIfChanged = async () => {
    if (document.hidden) return;
    const answer = await fetch(live.dataset.versionUrl ?? '', { headers: { accept: 'application/json' } });
    if (!answer.ok) return;
    const { version } = await answer.json();
    const busy = document.activeElement?.closest('form') || live.querySelector('details[open]');
    if (version !== live.dataset.version && !busy) location.reload();
  };
  setInterval(() => {
    reloadIfChanged().catch(() => undefined);
  }, 3_000);
}

/** Has the browser create or use a passkey, and submits its response with the form. */
const submitPasskey = async (form) => {
  const answer = await fetch(form.dataset.options ?? '', { headers: { accept: 'application/json' } });
  if (answer.redirected) {
    // The member has to confirm who they are first.
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
    submitPasskey(form).catch(() => {
      const notice = form.querySelector('[role="alert"]') ?? document.createElement('p');
      notice.className = 'notice bad';
      notice.setAttribute('role', 'alert');
      notice.textContent = document.body.dataset.passkeyFailed ?? '';
      form.append(notice);
    });
  });
}
