/**
 * Returns the parts of a sample for curl: the path with its query, the JSON body (null without one) and the
 * idempotency key (null without one). `{{paymentId}}` stands for the variable `$PAYMENT_ID`.
 * @param {string} source
 * @returns {{ path: string, body: string | null, key: string | null }}
 */
export function curlParts(source) {
  // Within single quotes a variable stands between quotes of its own: '"'"$PAYMENT_ID"'"'.
  const text = source
    .replaceAll(/'"(\$[A-Z_]+)"'/g, '$1')
    .replaceAll(/\$(?!CARD_PAYMENTS_)([A-Z_]+)/g, (_, name) => `{{${camelCase(name)}}}`);
  return {
    path: /"\$CARD_PAYMENTS_URL(\/[^"]*)"/.exec(text)?.[1] ?? '',
    body: /-d '([^']*)'/.exec(text)?.[1] ?? null,
    key: /-H "Idempotency-Key: ([^"]*)"/.exec(text)?.[1] ?? null,
  };
}

/** @param {string} name */
const camelCase = (name) => name.toLowerCase().replaceAll(/_([a-z])/g, (_, letter) => letter.toUpperCase());
