import type { FastifyRequest } from 'fastify';
import { readForm } from '../../../src/dashboard/parts/form.ts';
import { partial } from '../../support/partial.ts';

const read = (type: string, body: string | Uint8Array): Promise<URLSearchParams> =>
  readForm(partial<FastifyRequest>({ headers: { 'content-type': type }, body: Buffer.from(body) }));

const urlencoded = 'application/x-www-form-urlencoded';
const pairs = (count: number): string => Array.from({ length: count }, (_, at) => `f${at}=${at}`).join('&');

async function multipart(count: number): Promise<{ type: string; body: Uint8Array }> {
  const form = new FormData();
  for (let at = 0; at < count; at += 1) form.append(`f${at}`, String(at));
  const sent = new Response(form);
  return { type: sent.headers.get('content-type') ?? '', body: new Uint8Array(await sent.arrayBuffer()) };
}

it('reads 200 fields, and a file as base64', async () => {
  expect((await read(urlencoded, pairs(200))).get('f199')).toBe('199');
  const { type, body } = await multipart(200);
  expect((await read(type, body)).size).toBe(200);
  const form = new FormData();
  form.append('logo', new Blob(['\u0000\u0001']), 'logo.png');
  const sent = new Response(form);
  const withFile = await read(
    sent.headers.get('content-type') ?? '',
    new Uint8Array(await sent.arrayBuffer()),
  );
  expect([withFile.get('logo'), withFile.get('logo.name')]).toEqual(['AAE=', 'logo.png']);
});

it('refuses more fields before they are read', async () => {
  const { type, body } = await multipart(201);
  const many = '&'.repeat(1_000_000);
  const { URLSearchParams: Params, Response: Answer } = globalThis;
  let readings = 0;
  const counting = <Class extends new (...given: never[]) => object>(made: Class): Class =>
    new Proxy(made, {
      construct(target, given: never[]) {
        readings += 1;
        return new target(...given);
      },
    });
  Object.assign(globalThis, { URLSearchParams: counting(Params), Response: counting(Answer) });
  try {
    for (const [sent, bytes] of [
      [urlencoded, pairs(201)],
      [urlencoded, many],
      [type, body],
    ] as const) {
      await expect(read(sent, bytes)).rejects.toMatchObject({ code: 'invalid_request' });
    }
    expect(readings).toBe(0);
    await read(urlencoded, pairs(200));
    expect(readings).toBe(1);
  } finally {
    Object.assign(globalThis, { URLSearchParams: Params, Response: Answer });
  }
});

it.each([
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary=a; boundary=b',
  'multipart/form-data; boundary="a"',
  'text/plain',
])('refuses a body of the type %s', async (type) => {
  // Well-formed for parsers that read the boundary as `a` or as `b`.
  for (const boundary of ['a', 'b', '']) {
    const body = `--${boundary}\r\ncontent-disposition: form-data; name="f"\r\n\r\n1\r\n--${boundary}--\r\n`;
    await expect(read(type, body)).rejects.toMatchObject({ code: 'invalid_request' });
  }
});
