// Enhances the pages, all of which work without script. Its texts come from data attributes.

/** Shows the copy buttons below an element. */
const showCopyButtons = (root) => {
  for (const button of root.querySelectorAll('[data-copy]')) {
    const label = [...button.childNodes];
    button.hidden = false;
    button.addEventListener('click', () => {
      const say = (words) => {
        button.textContent = words;
        setTimeout(() => button.replaceChildren(...label), 2_000);
      };
      navigator.clipboard.writeText(button.dataset.copy ?? '').then(
        () => say(button.dataset.copied),
        () => say(button.dataset.copyFailed),
      );
    });
  }
};
showCopyButtons(document);

/** A link opens a dialog, or without script a page with the same form. A link or Escape closes it. */
for (const link of document.querySelectorAll('a[data-dialog]')) {
  const dialog = document.getElementById(link.dataset.dialog);
  if (!(dialog instanceof HTMLDialogElement)) continue;
  dialog.classList.add('side-panel');
  const close = () => {
    dialog.close();
    link.focus();
  };
  link.addEventListener('click', (event) => {
    event.preventDefault();
    if (!dialog.open) dialog.show();
    const first = dialog.querySelector('input:not([type="hidden"])');
    first?.focus();
    first?.select();
  });
  dialog.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close();
  });
  dialog.querySelector('[data-close]')?.addEventListener('click', (event) => {
    event.preventDefault();
    close();
  });
}

/** English words of whole numbers below a billion. */
const small =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const inWords = (value) => {
  if (value < 20) return small[value];
  if (value < 100) return tens[Math.floor(value / 10) - 2] + (value % 10 ? `-${small[value % 10]}` : '');
  const [unit, word] = value < 1e3 ? [100, 'hundred'] : value < 1e6 ? [1e3, 'thousand'] : [1e6, 'million'];
  const rest = value % unit;
  return `${inWords(Math.floor(value / unit))} ${word}${rest ? ` ${inWords(rest)}` : ''}`;
};
const dollarsInWords = (typed) => {
  const plain = typed.trim().replace(/^\$/, '').replaceAll(',', '');
  if (!/^\d{1,9}(\.\d{1,2})?$/.test(plain)) return null;
  const cents = Math.round(Number(plain) * 100);
  const dollars = Math.floor(cents / 100);
  const words = `${inWords(dollars)} ${dollars === 1 ? 'dollar' : 'dollars'}`;
  const whole = cents % 100 ? `${words} and ${cents % 100} cents` : words;
  return whole[0].toUpperCase() + whole.slice(1);
};
for (const line of document.querySelectorAll('[data-in-words]')) {
  const field = document.getElementById(line.dataset.inWords);
  const otherwise = line.textContent;
  const write = () => {
    const words = dollarsInWords(field.value);
    line.textContent =
      words === null ? otherwise : `${line.dataset.words.replace('{words}', words)} ${otherwise}`;
  };
  field.addEventListener('input', write);
  write();
}

/**
 * The notice of a form's result. It takes the focus and goes when it loses it, after five seconds or more.
 */
const toast = document.querySelector('[data-toast]');
if (toast instanceof HTMLElement) {
  const shownAt = Date.now();
  const remove = () => toast.remove();
  const dismiss = toast.querySelector('[data-dismiss]');
  dismiss.hidden = false;
  dismiss.addEventListener('click', () => {
    remove();
    document.getElementById('main')?.focus({ preventScroll: true });
  });
  toast.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') dismiss.click();
  });
  toast.addEventListener('focusout', ({ relatedTarget }) => {
    if (toast.contains(relatedTarget)) return;
    setTimeout(remove, Math.max(0, shownAt + 5_000 - Date.now()));
  });
  // A page that opens at a fragment or with an autofocused field keeps its focus.
  if (document.activeElement === document.body && location.hash === '') toast.focus({ preventScroll: true });
  else setTimeout(remove, 10_000);
  // Removed from the address, so that neither a reload nor a copied address shows the notice again.
  const address = new URL(location.href);
  address.searchParams.delete('done');
  history.replaceState(history.state, '', address);
}

/** Search results that update while the member types. */
for (const form of document.querySelectorAll('form[data-live]')) {
  let timer;
  let request;
  const find = () => {
    const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ''));
    const url = `${form.action}${query.size ? `?${query}` : ''}`;
    request?.abort();
    request = new XMLHttpRequest();
    request.open('GET', url);
    request.responseType = 'document';
    request.addEventListener('load', () => {
      const found = request.response?.querySelector('main [data-results]');
      if (!found) return;
      const dialog = form.closest('dialog');
      const place = dialog ?? document.getElementById('main');
      place.querySelector('[data-results]')?.replaceWith(document.adoptNode(found));
      if (!dialog) history.replaceState(null, '', url);
    });
    request.send();
  };
  form.addEventListener('input', (event) => {
    if (event.target.type !== 'search') return;
    clearTimeout(timer);
    timer = setTimeout(find, 200);
  });
}

/** The search for everything. ⌘K or Ctrl+K opens it; arrow keys move through its results. */
const searchDialog = document.querySelector('[data-search-dialog]');
const searchPlace = searchDialog ?? document.querySelector('[data-find]')?.parentElement;
const searchField = searchPlace?.querySelector('input[type="search"]');
const openSearch = (event) => {
  if (!searchField) return;
  event.preventDefault();
  if (searchDialog && !searchDialog.open) searchDialog.showModal();
  searchField.focus();
  searchField.select();
};
const isApple = /Mac|iPhone|iPad/.test(navigator.platform);
for (const link of document.querySelectorAll('a[data-search]')) {
  link.addEventListener('click', openSearch);
  const keys = link.querySelector('kbd');
  if (!keys) continue;
  keys.textContent = isApple ? '⌘K' : keys.textContent;
  keys.hidden = !matchMedia('(hover: hover)').matches;
}
if (searchField) {
  addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() === 'k' && (isApple ? event.metaKey : event.ctrlKey)) openSearch(event);
    const places = [searchField, ...searchPlace.querySelectorAll('[data-find] .found a')];
    const now = places.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (now === -1 || step === undefined || !places[now + step]) return;
    event.preventDefault();
    places[now + step].focus();
  });
  if (!searchDialog) {
    searchField.focus();
    searchField.select();
  }
  searchDialog?.addEventListener('click', ({ target }) => {
    if (target === searchDialog) searchDialog.close();
  });
}

/** An open menu closes with Escape and with a click elsewhere. */
for (const menu of document.querySelectorAll('details[data-menu]')) {
  const close = ({ target }) => {
    if (!menu.contains(target)) menu.open = false;
  };
  addEventListener('click', close);
  menu.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return;
    menu.open = false;
    menu.querySelector('summary').focus();
  });
}

/** A preview that updates with what is typed: a frame whose address holds the fields and the choices. */
for (const form of document.querySelectorAll('form[data-preview]')) {
  const frame = document.getElementById(form.dataset.preview);
  const verdict = form.querySelector('[data-verdict]');
  const picker = form.querySelector('[data-color-of]');
  const color = document.getElementById(picker.dataset.colorOf);
  const files = [...form.querySelectorAll('input[type="file"]')];
  /** The chosen files as data addresses, by the names of their fields. */
  const logos = {};
  let timer;
  const look = () => {
    const page = frame.contentDocument;
    verdict.textContent = page?.documentElement.dataset.note ?? '';
    const mark = page?.querySelector('.shop .logo, .shop .tile');
    if (!mark) return;
    const isDark = page.documentElement.dataset.theme === 'dark';
    // If both logos were saved, a new logo for light pages changes nothing on a dark one.
    const other = isDark && mark.matches('.bare') ? undefined : logos.logo;
    const source = (isDark && logos.darkLogo) || other;
    if (!source) return;
    const image = page.createElement('img');
    image.className = isDark && logos.darkLogo ? 'logo bare' : 'logo';
    image.alt = '';
    image.src = source;
    (mark.closest('picture') ?? mark).replaceWith(image);
  };
  const show = () => {
    const query = new URLSearchParams();
    for (const [name, value] of new FormData(form)) {
      if (typeof value === 'string' && name !== 'csrf') query.set(name, value);
    }
    frame.contentWindow.location.replace(`${frame.dataset.address}?${query}`);
  };
  picker.hidden = false;
  frame.addEventListener('load', look);
  form.addEventListener('input', (event) => {
    if (event.target === picker) color.value = picker.value;
    if (event.target === color && /^#[0-9a-f]{6}$/i.test(color.value)) picker.value = color.value;
    if (files.includes(event.target)) return;
    clearTimeout(timer);
    timer = setTimeout(show, 250);
  });
  for (const choice of document.querySelectorAll(`input[form="${form.id}"]`))
    choice.addEventListener('change', show);
  /** Shows a chosen file beside its field, and in the preview of the pages that use it. */
  const choose = (field, address) => {
    logos[field.name] = address;
    const image = document.createElement('img');
    image.alt = field.labels[0].textContent;
    image.src = address;
    form.querySelector(`[data-logo-of="${field.id}"]`).replaceChildren(image);
    const theme = field.name === 'darkLogo' ? 'dark' : 'light';
    const choice = document.querySelector(`input[form="${form.id}"][name="theme"][value="${theme}"]`);
    if (choice.checked) return look();
    choice.checked = true;
    show();
  };
  for (const field of files) {
    field.addEventListener('change', () => {
      const [chosen] = field.files;
      if (!chosen) return;
      const reader = new FileReader();
      reader.addEventListener('load', () => choose(field, reader.result));
      reader.readAsDataURL(chosen);
    });
  }
}

/** Drafts are saved automatically, three seconds after the last change. */
for (const form of document.querySelectorAll('form[data-autosave]')) {
  const status = form.querySelector('[data-saved]');
  let timer;
  const show = (page) => {
    const isSaved = Boolean(page?.querySelector('[data-toast]'));
    const time = new Date().toLocaleTimeString(document.documentElement.lang, { timeStyle: 'short' });
    status.textContent = isSaved
      ? form.dataset.autosave.replace('{time}', time)
      : (page?.querySelector('.notice')?.textContent ?? '');
    // The actions on a draft, such as submitting it.
    const after = page?.querySelector('[data-follows-draft]');
    if (isSaved && after) {
      document.querySelector('[data-follows-draft]')?.replaceWith(document.adoptNode(after));
    }
  };
  const save = () => {
    const request = new XMLHttpRequest();
    request.open('POST', form.action);
    request.responseType = 'document';
    request.addEventListener('load', () => show(request.response));
    request.send(new URLSearchParams(new FormData(form)));
  };
  form.addEventListener('input', () => {
    clearTimeout(timer);
    status.textContent = '';
    timer = setTimeout(save, 3_000);
  });
  form.addEventListener('submit', () => clearTimeout(timer));
}

/**
 * A form that needs a recent confirmation of who the member is asks for it in a dialog, so that nothing that
 * was typed or chosen is lost. If the dialog cannot ask, the form is sent, and a page asks.
 */
const app = document.querySelector('[data-fresh-for]');
/** Returns the request of a page, after its redirects. */
const load = (url, body) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(body ? 'POST' : 'GET', url);
    request.responseType = 'document';
    request.addEventListener('load', () => resolve(request));
    request.addEventListener('error', reject);
    request.send(body);
  });
/** Returns whether the member confirmed; false if they closed the dialog, null if it cannot ask. */
const askInDialog = async () => {
  const { confirm } = app.dataset;
  const { response: first } = await load(`${confirm}?to=${encodeURIComponent(confirm)}`);
  if (!first.querySelector('main .card form') || first.querySelector('main a[href*="/oidc"]')) return null;
  const dialog = document.createElement('dialog');
  dialog.className = 'dialog';
  const fill = (page) => {
    const card = page.querySelector('main .card');
    const notice = page.querySelector('main .notice.bad');
    if (notice) card.querySelector('.card-head').after(notice);
    dialog.setAttribute('aria-label', page.querySelector('h1').textContent);
    dialog.replaceChildren(document.adoptNode(card));
  };
  fill(first);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    const end = (result) => {
      dialog.remove();
      resolve(result);
    };
    const send = async (form) => {
      const { responseURL, response } = await load(form.action, new URLSearchParams(new FormData(form)));
      if (new URL(responseURL).searchParams.get('done') === 'confirmed') end(true);
      else fill(response);
    };
    dialog.addEventListener('close', () => end(false));
    dialog.addEventListener('click', (event) => {
      if (!event.target.closest('[data-close]')) return;
      event.preventDefault();
      dialog.close();
    });
    dialog.addEventListener('submit', (event) => {
      event.preventDefault();
      const form = event.target;
      if (form.dataset.passkey) submitPasskey(form, () => send(form)).catch(() => showPasskeyFailure(form));
      else send(form).catch(() => end(null));
    });
  });
};
/** Whether a form may be sent. `data-ask-with` names the fields on which a confirmation depends. */
const mayBeSent = async ({ action, elements, dataset }) => {
  const body = new URLSearchParams({ csrf: elements.csrf.value });
  for (const name of dataset.askWith?.split(' ') ?? []) body.set(name, elements[name].value);
  const answer = await fetch(action, { method: 'POST', body, headers: { 'x-ask-first': '1' } });
  if (!(await answer.json()).confirm) return true;
  return (await askInDialog()) ?? true;
};
let isAsking = false;
const askFirst = (event) => {
  const { target: form, submitter } = event;
  const isOwn = form.method === 'post' && !form.dataset.passkey && !form.closest('dialog.dialog');
  if (!app || !isOwn || form.dataset.asked || performance.now() < Number(app.dataset.freshFor)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (isAsking) return;
  isAsking = true;
  void mayBeSent(form)
    .catch(() => true)
    .then((isSent) => {
      isAsking = false;
      if (!isSent) return;
      form.dataset.asked = 'yes';
      form.requestSubmit(submitter);
    });
};
document.addEventListener('submit', askFirst, true);

/** Submits a form only once, even on a double click. */
for (const form of document.querySelectorAll('form[method="post"]:not([data-passkey])')) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent === 'yes') event.preventDefault();
    form.dataset.sent = 'yes';
  });
}
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-sent], form[data-asked]')) {
    delete form.dataset.sent;
    delete form.dataset.asked;
  }
});

/** The page is polled only while it is used, so that an open tab does not keep its session alive. */
let usedAt = Date.now();
for (const type of ['pointermove', 'keydown', 'scroll', 'visibilitychange'])
  addEventListener(type, () => (usedAt = Date.now()), true);
const pollJson = async (url) => {
  if (document.hidden || Date.now() - usedAt > 600_000) return;
  const answer = await fetch(url, { headers: { accept: 'application/json' } });
  return answer.ok ? answer.json() : undefined;
};

/** Marks a list that has new or changed rows. */
const markNews = async () => {
  const mark = document.querySelector('[data-news]');
  const now = mark && (await pollJson(mark.dataset.news));
  if (!now) return;
  const { total, is, one, many, changed } = mark.dataset;
  const added = now.total - total;
  const words =
    added > 1 ? many.replace('{count}', added) : added === 1 ? one : now.version === is ? '' : changed;
  if (mark.textContent === words) return;
  const link = document.createElement('a');
  link.href = location.href;
  link.textContent = words;
  mark.replaceChildren(...(words ? [link] : []));
};
setInterval(() => markNews().catch(() => undefined), 5_000);

/** Reloads a page whose content changed, unless a form is in use or a fold is open. */
const live = document.querySelector('[data-version]');
if (live instanceof HTMLElement) {
  const reloadIfChanged = async () => {
    const { version } = (await pollJson(live.dataset.versionUrl)) ?? live.dataset;
    const busy = document.activeElement?.closest('form') || live.querySelector('details[open], dialog[open]');
    if (version !== live.dataset.version && !busy) location.reload();
  };
  setInterval(() => {
    reloadIfChanged().catch(() => undefined);
  }, 3_000);
}

/** Makes the browser create or use a passkey, and submits its response with the form. */
const submitPasskey = async (form, send) => {
  const answer = await fetch(form.dataset.options ?? '', { headers: { accept: 'application/json' } });
  if (answer.redirected) {
    // The member has to confirm their identity first.
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
  await send();
};
const showPasskeyFailure = (form) => {
  const notice = form.querySelector('[role="alert"]') ?? document.createElement('p');
  notice.className = 'alert notice bad';
  notice.setAttribute('role', 'alert');
  notice.textContent = document.body.dataset.passkeyFailed ?? '';
  form.append(notice);
};
for (const form of document.querySelectorAll('form[data-passkey]')) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    submitPasskey(form, () => form.submit()).catch(() => showPasskeyFailure(form));
  });
}
