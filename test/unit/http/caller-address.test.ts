import { fastify } from 'fastify';
import { callerAddress, clientKey } from '../../../src/http/request.ts';

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
  ['2001:db8::1:2:3:4:5', '2001:db8:0:1::/64'],
  ['2001:db8::5', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
])('the tries of %s are counted under %s', (address, counted) => {
  expect(clientKey(address)).toBe(counted);
});

describe('the address of a caller', () => {
  /** Returns the caller's address for a connection and its header, in an app that trusts `trustProxy`. */
  async function addressOf(
    trustProxy: string[] | false,
    remoteAddress: string,
    forwarded?: string,
  ): Promise<string> {
    const app = fastify({ trustProxy });
    app.get('/', async (request) => callerAddress(request));
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
    const answer = await app.inject({ url: '/', remoteAddress, headers });
    return answer.body;
  }

  it('is that of the connection, whatever headers the caller sends, unless a trusted proxy names another', async () => {
    expect(await addressOf(false, '127.0.0.1', '192.0.2.7')).toBe('127.0.0.1');
    expect(await addressOf(['10.0.0.0/8'], '127.0.0.1', '192.0.2.7')).toBe('127.0.0.1');
    expect(await addressOf(['127.0.0.1'], '127.0.0.1')).toBe('127.0.0.1');
    expect(await addressOf(['127.0.0.1'], '127.0.0.1', '192.0.2.7')).toBe('192.0.2.7');
    expect(await addressOf(['127.0.0.1'], '::ffff:127.0.0.1', '2001:db8::7')).toBe('2001:db8::7');
  });

  it('is the last one that belongs to no trusted proxy, because callers can write the earlier ones', async () => {
    const proxies = ['127.0.0.1', '10.0.0.0/8'];
    expect(await addressOf(proxies, '127.0.0.1', '198.51.100.1, 192.0.2.7')).toBe('192.0.2.7');
    expect(await addressOf(proxies, '127.0.0.1', '198.51.100.1, 192.0.2.7, 10.1.2.3')).toBe('192.0.2.7');
  });

  it('is never a malformed text', async () => {
    for (const forwarded of ['unknown', 'a'.repeat(5_000), '192.0.2.7:4711', '<script>']) {
      expect(await addressOf(['127.0.0.1'], '127.0.0.1', forwarded)).toBe('127.0.0.1');
    }
  });
});
