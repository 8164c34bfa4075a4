// The card form inside the card frame (docs/checkout.md, "The card"). Served as it is: plain JavaScript, no build.
// The card goes to the vault's capture address and nowhere else, which the page's policy enforces; the parent page only ever hears
// whether it is valid, its brand and last four digits, and the token.
(() => {
  const form = document.getElementById('card');
  const { parent: parentOrigin, captureUrl, keyHeader } = form.dataset;
  const byId = (id) => document.getElementById(id);
  const [number, expiry, cvv] = ['card_number', 'card_expiry', 'card_cvv'].map(byId);
  const fields = [number, expiry, cvv];
  const brands = {
    visa: { name: 'Visa', lengths: [13, 16, 19], usual: 16, code: 3 },
    mastercard: { name: 'Mastercard', lengths: [16], usual: 16, code: 3 },
    amex: { name: 'Amex', lengths: [15], usual: 15, code: 4 },
  };
  const anyBrand = { name: '', lengths: [12, 13, 14, 15, 16, 17, 18, 19], usual: 16, code: 3 };
  let frameKey = null;
  /** The field the vault refused, as it was then: only the vault knows, so it is said until it is changed. */
  let refused = null;
  let capturing = 0;
  let lastValid = null;
  let lastHeight = 0;

  const digits = (field) => field.value.replace(/\D/g, '');

  const tell = (type, more = {}) => {
    window.parent.postMessage({ source: 'cardvault-frame', v: 1, type, ...more }, parentOrigin);
  };

  /* The card. */

  const brandOf = (digitsOfCard) => {
    if (/^3[47]/.test(digitsOfCard)) return 'amex';
    if (/^(5[1-5]|2[2-7])/.test(digitsOfCard)) return 'mastercard';
    return digitsOfCard.startsWith('4') ? 'visa' : '';
  };
  const rules = () => brands[brandOf(digits(number))] ?? anyBrand;

  const passesLuhn = (digitsOfCard) => {
    const sum = [...digitsOfCard].reverse().reduce((total, digit, at) => {
      const value = Number(digit) * (at % 2 === 1 ? 2 : 1);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
    return sum % 10 === 0;
  };

  /** Month and year (two digits each) out of whatever was typed, pasted or filled in; null when they are not there yet. */
  const readExpiry = (text) => {
    const [, year, month] = /^\s*(20\d\d)\D+(\d{1,2})\s*$/.exec(text) ?? [];
    if (year) return { month: month.padStart(2, '0'), year: year.slice(2) };
    const [first = '', ...rest] = text.split(/\D+/).filter(Boolean);
    const parts = rest.length > 0 ? [first.padStart(2, '0'), rest.join('')] : splitMonth(first);
    const [monthPart, yearPart] = parts;
    const shortYear = yearPart.length === 4 && yearPart.startsWith('20') ? yearPart.slice(2) : yearPart;
    return monthPart.length === 2 && shortYear.length === 2 ? { month: monthPart, year: shortYear } : null;
  };
  /** Where the month ends in a row of digits: a month has no third digit, and none begins with 2 to 9. */
  const splitMonth = (row) => {
    const length = /^(0|1([0-2]|$))/.test(row) ? 2 : 1;
    return row.length < length ? [row, ''] : [row.slice(0, length).padStart(2, '0'), row.slice(length)];
  };
  const isExpired = ({ month, year }) => Date.now() >= Date.UTC(2000 + Number(year), Number(month));

  /** What is wrong with a field, as the name of its text; null when nothing is. */
  const problemOf = (field) => {
    if (field === number) {
      const typed = digits(number);
      if (typed === '') return 'empty';
      const { lengths, usual } = rules();
      if (lengths.includes(typed.length) && passesLuhn(typed)) return null;
      return typed.length < usual ? 'short' : 'wrong';
    }
    if (field === expiry) {
      if (expiry.value.trim() === '') return 'empty';
      const date = readExpiry(expiry.value);
      if (!date || !/^(0[1-9]|1[0-2])$/.test(date.month)) return 'wrong';
      return isExpired(date) ? 'expired' : null;
    }
    if (digits(cvv) === '') return 'empty';
    return digits(cvv).length === rules().code ? null : 'wrong';
  };

  /** The same, with what the vault said. */
  const knownProblemOf = (field) =>
    refused?.field === field && refused.value === field.value ? refused.problem : problemOf(field);

  const showProblem = (field, problem) => {
    if (problem === null) field.removeAttribute('aria-invalid');
    else field.setAttribute('aria-invalid', 'true');
    byId(`${field.id}_problem`).textContent = problem === null ? '' : field.dataset[problem];
    const testCards = byId('test-cards');
    if (field === number && testCards) testCards.hidden = problem !== 'unsupported';
  };

  const tellValidity = () => {
    const valid = fields.every((field) => problemOf(field) === null);
    if (valid === lastValid) return;
    lastValid = valid;
    tell('validity', { valid });
  };

  /* How it looks while it is typed. */

  /** Groups as they are printed on the card. */
  const groupNumber = (typed) =>
    brandOf(typed) === 'amex'
      ? [typed.slice(0, 4), typed.slice(4, 10), typed.slice(10, 15)].filter(Boolean).join(' ')
      : typed.slice(0, 19).replace(/(\d{4})(?=\d)/g, '$1 ');

  const groupExpiry = (text, isDeleting) => {
    const whole = /^\s*20\d\d\D/.test(text) ? readExpiry(text) : null;
    if (whole) return `${whole.month} / ${whole.year}`;
    const [first = '', ...rest] = text.split(/\D+/);
    const isParted = first !== '' && rest.length > 0;
    const [month, typed] = isParted
      ? [first.padStart(2, '0'), rest.join('')]
      : splitMonth(first || rest.join(''));
    // While it is deleted, nothing is put back.
    if (isDeleting && typed === '') return text.replace(/\D+$/, '');
    const year = /^20\d\d/.test(typed) ? typed.slice(2, 4) : typed.slice(0, 4);
    return month.length === 2 ? `${month} / ${year}` : month;
  };

  /** Writes a field anew and keeps the caret behind the digit it was behind. */
  const rewrite = (field, text) => {
    if (field.value === text) return;
    const before = field.value.slice(0, field.selectionStart).replace(/\D/g, '').length;
    const atEnd = field.selectionStart === field.value.length;
    field.value = text;
    if (document.activeElement !== field) return;
    let at = 0;
    for (let seen = 0; seen < before && at < text.length; at += 1) if (/\d/.test(text[at])) seen += 1;
    const caret = atEnd ? text.length : at;
    field.setSelectionRange(caret, caret);
  };

  const showBrand = () => {
    const brand = brandOf(digits(number));
    byId('brand').value = brands[brand]?.name ?? '';
    byId('brand').dataset.brand = brand;
    const side = rules().code === 4 ? 'front' : 'back';
    cvv.dataset.side = side;
    cvv.maxLength = rules().code;
    cvv.placeholder = cvv.dataset[side];
    byId('card_cvv_hint').textContent = cvv.dataset[`${side}Hint`];
  };

  /** Where the focus went by itself, and when. */
  let jump = { to: null, at: 0 };
  /** A Tab that soon after it, in ms, was meant to go where the focus is already. */
  const habitMs = 1_000;

  /** On to the next field once this one is whole, when a person types at its end. */
  const advance = (field, at) => {
    const next = fields[fields.indexOf(field) + 1];
    if (!next || document.activeElement !== field || field.selectionStart !== field.value.length) return;
    // A year that begins with 20 may go on to four digits, and so may a number that is whole already.
    const mayGoOn = field === expiry ? /20$/.test(field.value) : digits(field).length < rules().usual;
    if (mayGoOn || problemOf(field) !== null) return;
    next.focus();
    jump = { to: next, at };
  };

  form.addEventListener('input', (event) => {
    const { target: field } = event;
    if (!fields.includes(field)) return;
    const isDeleting = event.inputType?.startsWith('delete') ?? false;
    if (field === number) {
      rewrite(number, groupNumber(digits(number)));
      showBrand();
    } else if (field === expiry) {
      rewrite(expiry, groupExpiry(expiry.value, isDeleting));
    } else {
      rewrite(cvv, digits(cvv));
    }
    // A complaint goes away as soon as its reason does; new ones wait until the field is left.
    if (knownProblemOf(field) === null) showProblem(field, null);
    if (field === number && cvv.value !== '' && problemOf(cvv) === null) showProblem(cvv, null);
    tellValidity();
    if (!isDeleting && event.inputType) advance(field, event.timeStamp);
  });

  form.addEventListener('keydown', (event) => {
    const { target: field, key } = event;
    if (!fields.includes(field)) return;
    const { to, at } = jump;
    jump = { to: null, at: 0 };
    if (key === 'Tab' && !event.shiftKey && field === to && event.timeStamp - at < habitMs) {
      event.preventDefault();
    } else if (key === 'Enter') {
      event.preventDefault();
      tell('pay');
    } else if (key === 'Backspace' && field.value === '' && field !== number) {
      event.preventDefault();
      const previous = fields[fields.indexOf(field) - 1];
      previous.focus();
      previous.setSelectionRange(previous.value.length, previous.value.length);
    }
  });

  form.addEventListener('focusout', ({ target: field }) => {
    if (fields.includes(field) && field.value !== '') showProblem(field, knownProblemOf(field));
  });

  // The whole cell is the field, for whoever aims beside the digits.
  form.addEventListener('pointerdown', (event) => {
    const field = event.target.closest('.cell')?.querySelector('input');
    if (!field || event.target === field) return;
    event.preventDefault();
    field.focus();
  });

  form.addEventListener('submit', (event) => event.preventDefault());

  /* Capturing, when the parent orders it. */

  const lock = (locked) => {
    for (const field of fields) field.readOnly = locked;
  };

  /** `id`: of the parent's order, which every answer to it carries. */
  const fail = (id, code, line = '') => {
    byId('problem').textContent = line;
    lock(false);
    tell('error', { id, code });
  };

  /** Turns the vault's refusal into a message at the right field. */
  const showRefusal = (id, status, error) => {
    // An address that ended may be refused, or be gone.
    if ([401, 403, 404, 410].includes(status)) return fail(id, 'access_over', form.dataset.accessOver);
    const named = { card_expiry_month: expiry, card_expiry_year: expiry, card_cvv: cvv, card_number: number };
    const field = status === 422 ? number : Object.hasOwn(named, error?.field) ? named[error.field] : null;
    if (!field) return fail(id, 'vault_unavailable', form.dataset.unavailable);
    refused = { field, value: field.value, problem: status === 422 ? 'unsupported' : 'wrong' };
    showProblem(field, refused.problem);
    field.focus();
    return fail(id, status === 422 ? 'card_not_supported' : 'invalid_fields');
  };

  const capture = async (id) => {
    const { month, year } = readExpiry(expiry.value);
    const card = digits(number);
    const response = await fetch(captureUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [keyHeader]: frameKey },
      body: JSON.stringify({
        card_number: card,
        card_cvv: digits(cvv),
        card_expiry_month: month,
        card_expiry_year: year,
      }),
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.timeout(15_000),
    });
    const answer = await response.json();
    if (!response.ok) return showRefusal(id, response.status, answer.error);
    // Locked, not emptied: a card that is declined may be corrected.
    const { token, reference: captured } = answer;
    return tell('token', { id, token, reference: captured, brand: brandOf(card), last4: card.slice(-4) });
  };

  const submit = async (id) => {
    if (capturing === id) return;
    byId('problem').textContent = '';
    refused = null;
    for (const field of fields) showProblem(field, problemOf(field));
    const wrong = fields.find((field) => problemOf(field) !== null);
    if (wrong) {
      wrong.focus();
      fail(id, 'invalid_fields');
      return;
    }
    if (frameKey === null) {
      fail(id, 'not_initialised');
      return;
    }
    capturing = id;
    lock(true);
    try {
      await capture(id);
    } catch {
      fail(id, 'vault_unavailable', form.dataset.unavailable);
    } finally {
      capturing = 0;
    }
  };

  /** The parent's looks: two colours and a scheme, nothing else; what is none of them is not used. */
  const dress = ({ accent, accentDark, theme }) => {
    const { dataset, style } = document.documentElement;
    if (theme === 'light' || theme === 'dark') dataset.theme = theme;
    const hex = /^[0-9a-f]{6}$/;
    if (!hex.test(accent) || !hex.test(accentDark)) return;
    const prefersDark = window.matchMedia('(prefers-color-scheme: dark)');
    const paint = () => {
      const dark = dataset.theme ? dataset.theme === 'dark' : prefersDark.matches;
      style.setProperty('--accent', `#${dark ? accentDark : accent}`);
    };
    prefersDark.addEventListener('change', paint);
    paint();
  };

  window.addEventListener('message', (event) => {
    if (event.source !== window.parent || event.origin !== parentOrigin) return;
    const message = event.data;
    if (message?.source !== 'cardvault-parent' || message.v !== 1) return;
    if (message.type === 'init' && typeof message.frameKey === 'string') {
      ({ frameKey } = message);
      dress(message);
    } else if (message.type === 'submit' && Number.isSafeInteger(message.id)) {
      void submit(message.id);
    } else if (message.type === 'unlock') {
      lock(false);
    }
  });

  new ResizeObserver(() => {
    const height = Math.ceil(document.documentElement.getBoundingClientRect().height);
    if (height !== lastHeight) {
      lastHeight = height;
      tell('resize', { height });
    }
  }).observe(document.documentElement);

  showBrand();
  // What was typed, or filled in by the browser, before this ran.
  for (const field of fields) {
    if (field.value !== '') field.dispatchEvent(new Event('input', { bubbles: true }));
  }
  // Framed by nobody: there is no one to talk to.
  if (window.parent !== window) tell('ready');
})();
