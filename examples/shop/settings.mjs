import { fileURLToPath } from 'node:url';
import { Webhook } from 'standardwebhooks';

const required = {
  CARD_PAYMENTS_URL: 'set it to the address of the service, such as http://127.0.0.1:3000',
  CARD_PAYMENTS_API_KEY: 'set it to the sandbox key that `npm start` prints',
  WEBHOOK_SECRET: 'set it to the signing secret (whsec_…) that `npx card-payments listen` prints',
};

/**
 * Returns the shop's settings from the environment. When one is missing or malformed, prints a line that names it and
 * the fix, and exits with code 1.
 */
export function readSettings(environment) {
  for (const [name, fix] of Object.entries(required)) {
    if (!environment[name]) fail(`${name} is not set: ${fix}`);
  }
  const url = environment.CARD_PAYMENTS_URL;
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    fail(`CARD_PAYMENTS_URL is not a URL: ${required.CARD_PAYMENTS_URL}`);
  }
  return {
    url: url.replace(/\/+$/, ''),
    apiKey: environment.CARD_PAYMENTS_API_KEY,
    webhook: webhookOf(environment.WEBHOOK_SECRET),
    port: wholeNumber(environment, 'PORT', { byDefault: 4242, min: 0, max: 65_535 }),
    reconcileMs: wholeNumber(environment, 'RECONCILE_SECONDS', { byDefault: 60, min: 1, max: 86_400 }) * 1000,
    ordersFile: environment.ORDERS_FILE || fileURLToPath(new URL('./orders.jsonl', import.meta.url)),
  };
}

/**
 * Prints one line and exits with code 1.
 * @returns {never}
 */
export function fail(message) {
  process.stderr.write(`error: ${message}\n`);
  process.exit(1);
}

function webhookOf(secret) {
  try {
    return new Webhook(secret);
  } catch {
    return fail(`WEBHOOK_SECRET is not a signing secret: ${required.WEBHOOK_SECRET}`);
  }
}

function wholeNumber(environment, name, { byDefault, min, max }) {
  const text = environment[name] || String(byDefault);
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  return fail(
    `${name} is not a whole number from ${min} to ${max}: correct it, or unset it for ${byDefault}`,
  );
}
