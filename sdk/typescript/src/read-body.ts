import { APIConnectionError } from './errors.ts';

/** The largest answer that is read. A page of the service has less than one mebibyte. */
const maxAnswerBytes = 16 * 2 ** 20;

/**
 * Returns the text of an answer. Throws APIConnectionError when it is far too large, whatever length it
 * claims. An error of the connection, when the answer is cut off, is passed on.
 */
export async function readBody(response: Response): Promise<string> {
  const { body } = response;
  if (body === null) return '';
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > maxAnswerBytes) {
      await reader.cancel().catch(() => undefined);
      throw new APIConnectionError(
        'The answer is larger than any answer of the service: check baseUrl. The request may have been processed.',
      );
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Returns the value of a JSON text; undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns a value as an object; an empty one when it is not an object. */
export function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
