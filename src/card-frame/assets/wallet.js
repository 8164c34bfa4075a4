/*
 * The buttons of Apple Pay and Google Pay, which Stripe.js draws and answers. The page that frames them gets
 * the payment method that a wallet made, by message, and pays with it. ADR 0068.
 */
(() => {
  'use strict';

  const place = document.getElementById('wallets');
  const { parent: parentOrigin, key, amount, radius } = place.dataset;

  const postToParent = (type, more = {}) => {
    window.parent.postMessage({ source: 'wallet-frame', v: 1, type, ...more }, parentOrigin);
  };

  new ResizeObserver(() => {
    postToParent('resize', { height: Math.ceil(document.documentElement.getBoundingClientRect().height) });
  }).observe(document.documentElement);

  const { theme } = document.documentElement.dataset;
  const isDark = theme ? theme === 'dark' : window.matchMedia('(prefers-color-scheme: dark)').matches;
  const color = isDark ? 'white' : 'black';
  const borderRadius = { none: '0px', small: '4px', large: '20px' }[radius] ?? '10px';

  /** Makes the payment method; the page decides whether it still wants it. */
  const confirm = async (stripe, elements, event) => {
    const submitted = await elements.submit();
    const made = submitted.error ? submitted : await stripe.createPaymentMethod({ elements });
    if (made.error) {
      event.paymentFailed({ reason: 'fail' });
      postToParent('trouble');
    } else {
      postToParent('token', { token: made.paymentMethod.id, wallet: event.expressPaymentType });
    }
  };

  const start = () => {
    const stripe = window.Stripe(key);
    const elements = stripe.elements({
      mode: 'payment',
      amount: Number(amount),
      currency: 'usd',
      locale: document.documentElement.lang,
      paymentMethodTypes: ['card'],
      paymentMethodCreation: 'manual',
      appearance: { variables: { borderRadius } },
    });
    const buttons = elements.create('expressCheckout', {
      buttonHeight: 48,
      buttonTheme: { applePay: color, googlePay: color },
      paymentMethods: {
        applePay: 'auto',
        googlePay: 'auto',
        amazonPay: 'never',
        klarna: 'never',
        link: 'never',
        paypal: 'never',
      },
    });
    buttons.on('ready', ({ availablePaymentMethods: available }) => {
      postToParent(available?.applePay || available?.googlePay ? 'ready' : 'none');
    });
    buttons.on('loaderror', () => postToParent('none'));
    buttons.on('confirm', (event) => {
      confirm(stripe, elements, event).catch(() => {
        event.paymentFailed({ reason: 'fail' });
        postToParent('trouble');
      });
    });
    buttons.mount(place);
  };

  if (window.parent === window) return;
  try {
    start();
  } catch {
    // Stripe.js did not load, or does not accept the key.
    postToParent('none');
  }
})();
