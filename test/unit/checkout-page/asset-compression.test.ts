import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { asset } from '../../../src/checkout-page/assets.ts';

it('is compressed for the first browser that accepts it, and only once', () => {
  const file = asset('test.css', 'text/css', 'a { color: red }\n'.repeat(100));
  const isGetter = (name: 'brotli' | 'gzip'): boolean =>
    Object.getOwnPropertyDescriptor(file, name)?.get !== undefined;
  // Nothing is compressed at the start.
  expect([isGetter('brotli'), isGetter('gzip')]).toEqual([true, true]);
  expect(brotliDecompressSync(file.brotli)).toEqual(file.bytes);
  expect(gunzipSync(file.gzip)).toEqual(file.bytes);
  expect(file.brotli).toBe(file.brotli);
  expect(file.gzip).toBe(file.gzip);
});
