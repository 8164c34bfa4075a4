/*
 * The dialect's stand-in for Stripe.js: the part of it that the wallets' frame uses, with the same names. One
 * press pays with a test card, without a payment sheet and without a phone.
 */
'use strict';

{
  const { origin } = new URL(document.currentScript.src);
  const labels = { googlePay: 'Google Pay', applePay: 'Apple Pay' };
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    .stand-in { display: grid; grid-auto-flow: column; grid-auto-columns: 1fr; gap: 8px; }
    .stand-in button {
      display: flex; align-items: center; justify-content: center; gap: 6px; padding: 0; border: 1px solid #000;
      background: #000; color: #fff; font: 500 19px/1 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;
      cursor: pointer;
    }
    .stand-in button.white { border-color: #fff; background: #fff; color: #1f1f1f; }
    .stand-in button:focus-visible { outline: 3px solid #4285f4; outline-offset: -4px; }
    .stand-in button[disabled] { opacity: 0.6; cursor: progress; }
    .stand-in svg { block-size: 20px; inline-size: 20px; flex: none; }
  `);

  /** Google's sign in its four colors; Apple's is only the word, because the marks belong to their owners. */
  const googleSign = () => {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    svg.setAttribute('viewBox', '0 0 48 48');
    svg.setAttribute('aria-hidden', 'true');
    for (const [fill, d] of [
      [
        '#4285f4',
        'M45.1 24.5c0-1.6-.1-3.1-.4-4.5H24v8.5h11.8a10.1 10.1 0 0 1-4.4 6.6v5.5h7.1c4.2-3.8 6.6-9.5 6.6-16.1z',
      ],
      [
        '#34a853',
        'M24 46c5.9 0 10.9-2 14.5-5.4l-7.1-5.5c-2 1.3-4.5 2.1-7.4 2.1-5.7 0-10.5-3.9-12.2-9H4.5v5.7A22 22 0 0 0 24 46z',
      ],
      ['#fbbc04', 'M11.8 28.2a13.2 13.2 0 0 1 0-8.4v-5.7H4.5a22 22 0 0 0 0 19.8z'],
      [
        '#ea4335',
        'M24 10.8c3.2 0 6.1 1.1 8.4 3.3l6.3-6.3A21.9 21.9 0 0 0 4.5 14.1l7.3 5.7c1.7-5.2 6.5-9 12.2-9z',
      ],
    ]) {
      const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
      path.setAttribute('fill', fill);
      path.setAttribute('d', d);
      svg.append(path);
    }
    return svg;
  };

  const createButtons = (options, elements) => {
    const handlers = {};
    const fire = (type, event) => handlers[type]?.(event);
    const shown = Object.keys(labels).filter(
      (wallet) =>
        options.paymentMethods?.[wallet] !== 'never' &&
        (wallet === 'googlePay' || 'ApplePaySession' in window),
    );

    const press = (wallet) => {
      const confirm = () => {
        elements.pressed = wallet === 'googlePay' ? 'google_pay' : 'apple_pay';
        fire('confirm', {
          expressPaymentType: elements.pressed,
          paymentFailed: () => {
            elements.pressed = null;
          },
        });
      };
      if (!handlers.click) confirm();
      else
        fire('click', {
          expressPaymentType: wallet === 'googlePay' ? 'google_pay' : 'apple_pay',
          resolve: confirm,
          reject: () => fire('cancel', {}),
        });
    };

    return {
      on: (type, handler) => {
        handlers[type] = handler;
      },
      mount: (place) => {
        document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
        const row = document.createElement('div');
        row.className = 'stand-in';
        for (const wallet of shown) {
          const button = document.createElement('button');
          button.type = 'button';
          button.className = options.buttonTheme?.[wallet] ?? 'black';
          button.style.blockSize = `${options.buttonHeight ?? 44}px`;
          button.style.borderRadius = elements.options.appearance?.variables?.borderRadius ?? '4px';
          button.setAttribute('aria-label', labels[wallet]);
          if (wallet === 'googlePay') button.append(googleSign(), 'Pay');
          else button.append(labels[wallet]);
          button.addEventListener('click', () => press(wallet));
          row.append(button);
        }
        place.replaceChildren(row);
        queueMicrotask(() =>
          fire('ready', {
            availablePaymentMethods: {
              applePay: shown.includes('applePay'),
              googlePay: shown.includes('googlePay'),
            },
          }),
        );
      },
    };
  };

  window.Stripe = (key) => ({
    elements: (options) => {
      const elements = { options, pressed: null };
      elements.create = (type, more) => {
        if (type !== 'expressCheckout') throw new TypeError(`the dialect has no element ${type}`);
        return createButtons(more, elements);
      };
      elements.submit = async () => ({});
      return elements;
    },
    createPaymentMethod: async ({ elements }) => {
      const response = await fetch(`${origin}/stripe-js/payment_methods`, {
        method: 'POST',
        body: new URLSearchParams({ key, wallet: elements.pressed }),
        credentials: 'omit',
      });
      const answer = await response.json();
      return response.ok ? { paymentMethod: answer } : { error: answer.error };
    },
  });
}
