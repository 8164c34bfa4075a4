import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../domain/refusals.ts';
import { bodyBytes } from '../../http/request.ts';

/** The maximum number of fields of one form. */
const maxFields = 200;

/**
 * Whether `bytes` contain a text more than `max` times. Counting is quick, but parsing many fields is slow.
 */
function holdsMore(bytes: Uint8Array, text: string, max: number): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let found = 0;
  for (let at = buffer.indexOf(text); at !== -1; at = buffer.indexOf(text, at + text.length)) {
    found += 1;
    if (found > max) return true;
  }
  return false;
}

/**
 * Returns the fields of a form that a browser sent. A file becomes a field with its content in base64; its
 * name is in a field of the same name with the suffix `.name`. Throws invalid_request for anything but a
 * form.
 */
export async function readForm(request: FastifyRequest): Promise<URLSearchParams> {
  const bytes = bodyBytes(request) ?? new Uint8Array();
  const type = request.headers['content-type'] ?? '';
  if (type.startsWith('application/x-www-form-urlencoded') || bytes.length === 0) {
    if (holdsMore(bytes, '&', maxFields - 1)) throw new Refusal('invalid_request');
    return new URLSearchParams(Buffer.from(bytes).toString('utf8'));
  }
  // Exactly as browsers write it. If there were two boundaries, another parser might use the other one.
  const boundary = /^multipart\/form-data; ?boundary=([\w'()+./:?=-]{1,70})$/.exec(type)?.[1];
  // There is one boundary before each field and one at the end.
  if (boundary === undefined || holdsMore(bytes, `--${boundary}`, maxFields + 1)) {
    throw new Refusal('invalid_request');
  }
  const form = new URLSearchParams();
  const parsed = await new Response(Buffer.from(bytes), { headers: { 'content-type': type } })
    .formData()
    .catch(() => {
      throw new Refusal('invalid_request');
    });
  for (const [name, value] of parsed) {
    if (typeof value === 'string') form.append(name, value);
    else {
      form.append(name, Buffer.from(await value.arrayBuffer()).toString('base64'));
      form.append(`${name}.name`, value.name);
    }
  }
  return form;
}
