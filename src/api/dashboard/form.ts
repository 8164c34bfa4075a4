import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../domain/refusals.ts';
import { bodyBytes } from '../http/request.ts';

/** Fields of one form at most. */
const mostFields = 200;

/**
 * Returns the fields of a form that a browser sent, files apart: a file is its field's text in base64. Throws
 * invalid_request for anything else than a form.
 */
export async function readForm(request: FastifyRequest): Promise<URLSearchParams> {
  const bytes = bodyBytes(request) ?? new Uint8Array();
  const type = request.headers['content-type'] ?? '';
  if (type.startsWith('application/x-www-form-urlencoded') || bytes.length === 0) {
    const form = new URLSearchParams(Buffer.from(bytes).toString('utf8'));
    if (form.size > mostFields) throw new Refusal('invalid_request');
    return form;
  }
  if (!type.startsWith('multipart/form-data')) throw new Refusal('invalid_request');
  const form = new URLSearchParams();
  const parsed = await new Response(Buffer.from(bytes), { headers: { 'content-type': type } })
    .formData()
    .catch(() => {
      throw new Refusal('invalid_request');
    });
  for (const [name, value] of parsed) {
    if (form.size >= mostFields) throw new Refusal('invalid_request');
    form.append(
      name,
      typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer()).toString('base64'),
    );
  }
  return form;
}
