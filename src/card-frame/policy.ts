/** The maximum number of sites that may frame the page around the card form. */
const maxAncestors = 20;

/**
 * Returns the content security policy of the card form: own script, style and marks, requests only to
 * `captureOrigin`, framed only by these origins.
 */
export function frameSecurityPolicy(captureOrigin: string, frameAncestors: readonly string[]): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self'",
    `connect-src ${captureOrigin}`,
    "form-action 'none'",
    "base-uri 'none'",
    `frame-ancestors ${frameAncestors.join(' ') || "'none'"}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/**
 * The addresses from which Stripe.js is loaded, which it calls and which it frames, as Stripe documents them
 * for its elements.
 */
const stripeSources = {
  script: 'https://js.stripe.com https://*.js.stripe.com',
  call: 'https://api.stripe.com',
  frame: 'https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com',
};

/**
 * Returns the content security policy of the wallets' buttons: own script and style, and Stripe.js from
 * `stripeUrl` with the addresses that it calls and frames. Without Trusted Types, because Stripe.js has no
 * policy for them.
 */
export function walletSecurityPolicy(stripeUrl: string, frameAncestors: readonly string[]): string {
  const { origin } = new URL(stripeUrl);
  const { script, call, frame } =
    origin === 'https://js.stripe.com' ? stripeSources : { script: origin, call: origin, frame: origin };
  return [
    "default-src 'none'",
    "style-src 'self'",
    `script-src 'self' ${script}`,
    `connect-src ${call}`,
    `frame-src ${frame}`,
    "form-action 'none'",
    "base-uri 'none'",
    `frame-ancestors ${frameAncestors.join(' ') || "'none'"}`,
  ].join('; ');
}

/**
 * Returns the origins in a list separated by spaces; null if one is not an origin or there are too many,
 * because the list becomes part of a policy.
 */
export function readAncestors(list: string): string[] | null {
  const origins = list.split(' ').filter(Boolean);
  return origins.length <= maxAncestors && origins.every(isOrigin) ? origins : null;
}

function isOrigin(text: string): boolean {
  // URL parsing accepts wildcards, and a policy would apply them.
  return (
    text.length <= 300 &&
    /^https?:\/\/[a-z0-9.:[\]-]+$/.test(text) &&
    URL.canParse(text) &&
    new URL(text).origin === text
  );
}
