/** The pages that a customer sees after the checkout. */

const style = `
  :root { color-scheme: light dark; font: 1.0625rem/1.5 system-ui, sans-serif; }
  body { margin: 0; min-height: 100vh; display: grid; place-items: center; }
  main { max-width: 26rem; padding: 2rem; text-align: center; }
  .mark { font-size: 3rem; line-height: 1; margin: 0; }
  h1 { font-size: 1.75rem; margin: 0.75rem 0; }
  code { overflow-wrap: anywhere; }
`;

/**
 * The page behind `successUrl`. A visit proves no payment, so the page shows the shop's own record of the order
 * (undefined for an unknown one).
 */
export function thanksPage(order) {
  const reference = order ? `<p>Order <code>${escapeHtml(order.reference)}</code></p>` : '';
  return order?.shipped
    ? page(
        '✓',
        'Thank you for your order',
        `<p>Your payment arrived and your order is on its way.</p>${reference}`,
      )
    : page('✓', 'Thank you', `<p>We ship your order as soon as your payment is confirmed.</p>${reference}`);
}

/** The page behind `cancelUrl`. */
export function cartPage() {
  return page('←', 'Back at your cart', '<p>Your payment was canceled. You have not been charged.</p>');
}

function page(mark, title, body) {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title}</title>
    <link rel="icon" href="data:," />
    <style>${style}</style>
  </head>
  <body><main><p class="mark" aria-hidden="true">${mark}</p><h1>${title}</h1>${body}</main></body>
</html>
`;
}

function escapeHtml(text) {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
