// The card form inside the vault's frame (docs/simulators.md, "Hosted fields"). Served as it is: plain JavaScript, no build.
// The card goes to the vault's own address and nowhere else; the parent page only ever hears whether it is valid, and the token.
(() => {
  const form = document.getElementById('card');
  const { reference, parent: parentOrigin, locale } = form.dataset;
  const field = (name) => form.elements.namedItem(name);
  const names = ['card_number', 'card_expiry_month', 'card_expiry_year', 'card_cvv'];
  const brands = { visa: 'Visa', mastercard: 'Mastercard', amex: 'Amex' };
  const problemLine = document.getElementById('problem');
  const brandLine = document.getElementById('brand');
  let frameKey = null;
  let sending = false;
  let lastValid = null;
  let lastHeight = 0;

  const digits = (name) => field(name).value.replace(/[\s-]/g, '');

  /** Name for all, colours for those who see them. */
  const showBrand = (brand) => {
    brandLine.value = brands[brand] ?? '';
    brandLine.dataset.brand = brand ?? '';
  };

  const tell = (type, more = {}) => {
    window.parent.postMessage({ source: 'cardvault-frame', v: 1, type, ...more }, parentOrigin);
  };

  const brandOf = (number) => {
    if (/^3[47]/.test(number)) return 'amex';
    if (/^(5[1-5]|2[2-7])/.test(number)) return 'mastercard';
    return number.startsWith('4') ? 'visa' : null;
  };

  const passesLuhn = (number) => {
    const sum = [...number].reverse().reduce((total, digit, at) => {
      const value = Number(digit) * (at % 2 === 1 ? 2 : 1);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
    return sum % 10 === 0;
  };

  const isExpired = () => {
    const today = new Date();
    const end = Date.UTC(2000 + Number(digits('card_expiry_year')), Number(digits('card_expiry_month')));
    return today.getTime() >= end;
  };

  /** What is wrong with a field, in the customer's words; null when nothing is. */
  const problemOf = (name) => {
    const value = digits(name);
    const { wrong } = field(name).dataset;
    if (name === 'card_number') return /^\d{12,19}$/.test(value) && passesLuhn(value) ? null : wrong;
    if (name === 'card_expiry_month') return /^(0[1-9]|1[0-2])$/.test(value) ? null : wrong;
    if (name === 'card_cvv') {
      const length = brandOf(digits('card_number')) === 'amex' ? 4 : 3;
      return /^\d+$/.test(value) && value.length === length ? null : wrong;
    }
    if (!/^\d{2}$/.test(value)) return wrong;
    return problemOf('card_expiry_month') === null && isExpired() ? form.dataset.expired : null;
  };

  const showProblem = (name, problem) => {
    const input = field(name);
    if (problem === null) input.removeAttribute('aria-invalid');
    else input.setAttribute('aria-invalid', 'true');
    document.getElementById(`${name}_problem`).textContent = problem ?? '';
  };

  const tellValidity = () => {
    const valid = names.every((name) => problemOf(name) === null);
    if (valid === lastValid) return;
    lastValid = valid;
    tell('validity', { valid });
  };

  const fail = (code, line = '') => {
    problemLine.textContent = line;
    tell('error', { code });
  };

  /** Turns the vault's refusal into a message at the right field. */
  const showRefusal = (status, error) => {
    if (status === 401) return fail('access_over', form.dataset.accessOver);
    const name = names.includes(error.field) ? error.field : null;
    if (status === 422) showProblem('card_number', form.dataset.unsupported);
    else if (name) showProblem(name, field(name).dataset.wrong);
    const at = status === 422 ? 'card_number' : name;
    if (at) field(at).focus();
    if (status === 422) return fail('card_not_supported');
    return name ? fail('invalid_fields') : fail('vault_unavailable', form.dataset.unavailable);
  };

  const clear = () => {
    for (const name of names) {
      field(name).value = '';
      showProblem(name, null);
    }
    showBrand(null);
    lastValid = null;
  };

  const capture = async () => {
    const response = await fetch(`/frame/${encodeURIComponent(reference)}/capture`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-cardvault-frame-key': frameKey },
      body: JSON.stringify(Object.fromEntries(names.map((name) => [name, digits(name)]))),
      redirect: 'error',
      signal: AbortSignal.timeout(15_000),
    });
    const answer = await response.json();
    if (!response.ok) return showRefusal(response.status, answer.error);
    clear();
    return tell('token', { token: answer.token, reference: answer.reference });
  };

  const submit = async () => {
    if (sending) return;
    problemLine.textContent = '';
    for (const name of names) showProblem(name, problemOf(name));
    const wrong = names.find((name) => problemOf(name) !== null);
    if (wrong) {
      field(wrong).focus();
      fail('invalid_fields');
      return;
    }
    if (frameKey === null) {
      fail('not_initialised');
      return;
    }
    sending = true;
    try {
      await capture();
    } catch {
      fail('vault_unavailable', form.dataset.unavailable);
    } finally {
      sending = false;
    }
  };

  /** Groups of four while typing at the end; a caret in the middle is left alone. */
  const spaceOut = (input) => {
    if (input.selectionStart !== input.value.length) return;
    const number = input.value.replace(/\D/g, '').slice(0, 19);
    input.value = number.replace(/(\d{4})(?=\d)/g, '$1 ');
  };

  form.addEventListener('input', (event) => {
    if (event.target === field('card_number')) {
      spaceOut(event.target);
      showBrand(brandOf(digits('card_number')));
    }
    // A complaint goes away as soon as its reason does; new ones wait until the field is left.
    if (problemOf(event.target.name) === null) showProblem(event.target.name, null);
    tellValidity();
  });

  form.addEventListener('focusout', (event) => {
    const { name, value } = event.target;
    if (names.includes(name) && value !== '') showProblem(name, problemOf(name));
  });

  form.addEventListener('submit', (event) => event.preventDefault());

  window.addEventListener('message', (event) => {
    if (event.source !== window.parent || event.origin !== parentOrigin) return;
    const message = event.data;
    if (typeof message !== 'object' || message === null) return;
    if (message.source !== 'cardvault-parent' || message.v !== 1) return;
    if (message.type === 'init' && typeof message.frameKey === 'string') {
      frameKey = message.frameKey;
      if (['en', 'es', 'pt'].includes(message.locale) && message.locale !== locale) {
        const address = new URL(window.location.href);
        address.searchParams.set('locale', message.locale);
        window.location.replace(address.href);
      }
    } else if (message.type === 'submit') {
      void submit();
    }
  });

  new ResizeObserver(() => {
    const height = Math.ceil(document.documentElement.getBoundingClientRect().height);
    if (height !== lastHeight) {
      lastHeight = height;
      tell('resize', { height });
    }
  }).observe(document.documentElement);

  // Framed by nobody: there is no one to talk to.
  if (window.parent !== window) tell('ready');
})();
