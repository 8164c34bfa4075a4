/** Most sites that may frame the page which frames the card form. */
const maxAncestors = 20;

/**
 * Returns the content security policy of the card form: own script and style, cards to `captureOrigin` and to
 * nobody else, framed by these origins only.
 */
export function frameSecurityPolicy(captureOrigin: string, frameAncestors: readonly string[]): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    `connect-src ${captureOrigin}`,
    "form-action 'none'",
    "base-uri 'none'",
    `frame-ancestors ${frameAncestors.join(' ') || "'none'"}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/**
 * Returns the origins in a list with spaces between them, or null where one is none or there are too many: no
 * other text gets into a policy.
 */
export function readAncestors(list: string): string[] | null {
  const origins = list.split(' ').filter(Boolean);
  return origins.length <= maxAncestors && origins.every(isOrigin) ? origins : null;
}

function isOrigin(text: string): boolean {
  // A policy reads more than URLs do: a star, for one.
  return (
    text.length <= 300 &&
    /^https?:\/\/[a-z0-9.:[\]-]+$/.test(text) &&
    URL.canParse(text) &&
    new URL(text).origin === text
  );
}
