// Embeds the checkout page in a shop's page (docs/checkout.md, "Embedding"). Protocol version 1: exact
// origins, no secrets in messages.
(() => {
  /**
   * Returns the scheme in which an element is shown: of those its page allows, the one the customer prefers.
   */
  const schemeOf = (element) => {
    const allowed = getComputedStyle(element).colorScheme;
    if (!allowed.includes('dark')) return 'light';
    return !allowed.includes('light') || window.matchMedia('(prefers-color-scheme: dark)').matches
      ? 'dark'
      : 'light';
  };

  /**
   * Shows the checkout in `container` and returns `{frame, close()}`. `checkoutUrl` is the payment's, as the
   * shop's server received it. Options, all optional: `onReady()`, `onState(state)`, `onComplete({paymentId,
   * url})`, `onCancel({paymentId, url})`, `onClosed({paymentId})`, `onFallback(checkoutUrl)`, `title`,
   * `readyWithinMs` (8000), `theme` (`light` or `dark`; by default the scheme of `container`), `accent`
   * (`#rrggbb`), `radius` (`none`, `small`, `large`), `font` (`serif`, `humanist`, `mono`). `onComplete` is a
   * hint, not proof: have your server read the payment.
   */
  const embed = ({ checkoutUrl, container, title = 'Checkout', readyWithinMs = 8_000, ...on }) => {
    const url = new URL(checkoutUrl, window.location.href);
    const frame = document.createElement('iframe');
    frame.title = title;
    frame.allow = 'clipboard-write; payment';
    frame.referrerPolicy = 'no-referrer';
    frame.style.cssText = 'display:block;inline-size:100%;block-size:40rem;border:0';
    // A frame is transparent only in the scheme of the page around it.
    const scheme = on.theme === 'light' || on.theme === 'dark' ? on.theme : schemeOf(container);
    frame.style.colorScheme = scheme;
    const leave = (target) => window.location.assign(target);
    const hello = () => {
      frame.contentWindow?.postMessage({ source: 'card-payments-embed', v: 1, type: 'hello' }, url.origin);
    };

    let ready = false;
    let left = false;
    /** Navigates once, unless the shop has a handler. */
    const once = (handler, message) => {
      if (left) return;
      left = true;
      if (handler) handler({ paymentId: message.paymentId, url: message.url });
      else leave(message.url);
    };

    const onMessage = (event) => {
      if (event.source !== frame.contentWindow || event.origin !== url.origin) return;
      const message = event.data;
      if (message?.source !== 'card-payments-checkout' || message.v !== 1) return;
      if (message.type === 'ready') {
        hello();
        if (!ready) on.onReady?.();
        ready = true;
      } else if (message.type === 'resize' && message.height > 0 && message.height < 10_000) {
        frame.style.blockSize = `${Math.ceil(message.height)}px`;
      } else if (message.type === 'state') {
        on.onState?.(message.state);
      } else if (message.type === 'redirect') {
        leave(message.url);
      } else if (message.type === 'complete') {
        once(on.onComplete, message);
      } else if (message.type === 'cancel') {
        once(on.onCancel, message);
      } else if (message.type === 'closed') {
        on.onClosed?.({ paymentId: message.paymentId });
      }
    };

    const close = () => {
      clearTimeout(timer);
      window.removeEventListener('message', onMessage);
      frame.remove();
    };
    // A page that may not be framed here sends no message: the customer pays on the page itself.
    const timer = setTimeout(() => {
      if (ready) return;
      close();
      if (on.onFallback) on.onFallback(url.href);
      else leave(url.href);
    }, readyWithinMs);

    window.addEventListener('message', onMessage);
    frame.addEventListener('load', hello);
    const framed = new URL(url);
    const accent = on.accent?.replace('#', '').toLowerCase();
    const look = { theme: scheme, accent, radius: on.radius, font: on.font };
    for (const [name, value] of Object.entries(look)) if (value) framed.searchParams.set(name, value);
    frame.src = framed.href;
    container.append(frame);
    return { frame, close };
  };

  window.CardPayments = Object.freeze({ embed });
})();
