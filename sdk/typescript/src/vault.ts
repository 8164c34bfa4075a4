import { APIConnectionError, APIError, CardPaymentsError, apiError, invalidArgument } from './errors.ts';
import { asObject, parseJson, readBody } from './read-body.ts';
import type { Settings } from './settings.ts';
import { withTimeLimit } from './time-limit.ts';
import type { RequestOptions } from './transport.ts';
import type { CaptureCard, Checkout } from './types.ts';

/** The fields of a card, as your form received them. They are sent only to the vault, and never stored. */
export interface CardFields {
  number: string;
  cvv: string;
  /** 1 to 12. */
  expiryMonth: number | string;
  /** With two or four digits. */
  expiryYear: number | string;
}

/** The name of the header that carries the capture secret, for each vault. */
const secretHeaders = {
  cardVault: 'X-CardVault-Capture-Secret',
  pciVault: 'X-PCIVault-Capture-Secret',
} as const;

const again = 'Nothing was charged. Prepare capture again and send the card again.';

/** The card vault. Your backend sends the card there; the service never sees it. */
export class Vault {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Sends a card to the vault. `access`: the answer of `payments.prepareCapture`. Returns the `card` for
   * `pay` and `payAndWait`, after comparing the references. The call is never repeated automatically.
   */
  async capture(access: Checkout, card: CardFields, options: RequestOptions = {}): Promise<CaptureCard> {
    const { capture, pciConfig } = access;
    if (capture === undefined) {
      throw invalidArgument(
        'access',
        'access has no capture secret: pass the answer of payments.prepareCapture.',
      );
    }
    const body = JSON.stringify(cardBody(card));
    const init: RequestInit = {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'Content-Type': 'application/json',
        [secretHeaders[pciConfig.provider] ?? secretHeaders.cardVault]: capture.secret,
      },
      body,
    };
    const answer = await this.#send(capture.url, init, options);
    const { token, reference } = answer;
    if (typeof token !== 'string' || typeof reference !== 'string') {
      throw new APIConnectionError(`The vault returned no token. ${again}`);
    }
    if (reference !== capture.reference) {
      throw new APIError({
        status: 200,
        code: 'capture_reference_mismatch',
        message: 'The vault answered for another capture. Do not pay with this token; nothing was charged.',
        recovery: 'none',
      });
    }
    return { cardToken: token, captureReference: reference };
  }

  async #send(url: string, init: RequestInit, options: RequestOptions): Promise<Record<string, unknown>> {
    const event = { method: 'POST', path: 'vault', id: null, attempt: 1 };
    const { onRequest, onResponse, fetch, timeoutMs } = this.#settings;
    const startedAt = Date.now();
    let status: number | null = null;
    onRequest(event);
    try {
      const limits = { timeoutMs: options.timeoutMs ?? timeoutMs, signal: options.signal };
      return await withTimeLimit(limits, async (signal) => {
        const response = await fetch(url, { ...init, signal });
        status = response.status;
        const answer = asObject(parseJson(await readBody(response)));
        if (response.ok) return answer;
        throw refusal(response, answer);
      });
    } catch (error) {
      if (error instanceof CardPaymentsError) throw error;
      // The cause is left out: a runtime may quote the request in it.
      throw new APIConnectionError(`The vault did not answer. ${again}`);
    } finally {
      onResponse({ ...event, status, requestId: null, durationMs: Date.now() - startedAt });
    }
  }
}

/** The vault's own text is left out: it may quote the card. */
function refusal(response: Response, answer: Record<string, unknown>): APIError {
  const { field } = asObject(answer['error']);
  const named = Object.entries(fieldNames).find(([, name]) => name === field)?.[0];
  const status = response.status >= 400 ? response.status : 502;
  return apiError({
    status,
    code: status < 500 ? 'card_refused' : 'vault_unavailable',
    message:
      status < 500
        ? `The vault refused the card${named === undefined ? '' : ` (${named})`}. Nothing was charged.`
        : `The vault is unavailable. ${again}`,
    field: named ?? null,
    recovery: status < 500 ? 'ask_customer' : 'retry_later',
  });
}

const fieldNames = {
  number: 'card_number',
  cvv: 'card_cvv',
  expiryMonth: 'card_expiry_month',
  expiryYear: 'card_expiry_year',
} as const;

function cardBody(card: CardFields): Record<string, string> {
  const { number, cvv, expiryMonth, expiryYear } = card;
  const digits = number.replaceAll(/[ -]/g, '');
  const month = String(expiryMonth).padStart(2, '0');
  const year = String(expiryYear).slice(-2).padStart(2, '0');
  if (!/^\d{12,19}$/.test(digits)) throw invalidArgument('number', 'number must have 12 to 19 digits.');
  if (!/^\d{3,4}$/.test(cvv)) throw invalidArgument('cvv', 'cvv must have three or four digits.');
  if (!/^(0[1-9]|1[0-2])$/.test(month)) throw invalidArgument('expiryMonth', 'expiryMonth must be 1 to 12.');
  if (!/^(\d{2}|\d{4})$/.test(String(expiryYear).padStart(2, '0'))) {
    throw invalidArgument('expiryYear', 'expiryYear must have two or four digits.');
  }
  return {
    [fieldNames.number]: digits,
    [fieldNames.cvv]: cvv,
    [fieldNames.expiryMonth]: month,
    [fieldNames.expiryYear]: year,
  };
}
