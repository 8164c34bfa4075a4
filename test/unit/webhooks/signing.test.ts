import { Webhook } from 'standardwebhooks';
import { createSigningSecret, signatureHeaders } from '../../../src/webhooks/signing.ts';
import { isSignedBy } from '../../support/receiver.ts';

const at = new Date('2026-03-01T12:00:00.900Z');
const message = { id: 'evt_1', body: '{"a":"ü"}' };

describe('webhook signatures', () => {
  it('equal the test vector of the Standard Webhooks specification', () => {
    const headers = signatureHeaders(
      { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}' },
      ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      new Date(1_614_265_330_000),
    );
    expect(headers).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('hold one signature per secret, each verified by its own secret only', () => {
    const [current, previous, stranger] = [
      createSigningSecret(),
      createSigningSecret(),
      createSigningSecret(),
    ];
    const headers = signatureHeaders(message, [current, previous], at);
    const delivery = { headers, text: message.body };
    expect([current, previous, stranger].map((secret) => isSignedBy(secret, delivery))).toEqual([
      true,
      true,
      false,
    ]);
    expect(headers['webhook-signature'].split(' ')).toHaveLength(2);
  });

  it('are refused by the library when old, changed, or of another message', () => {
    const secret = createSigningSecret();
    const verifier = new Webhook(secret);
    const now = new Date();
    const headers = signatureHeaders(message, [secret], now);
    expect(verifier.verify(message.body, headers)).toEqual({ a: 'ü' });
    expect(() => verifier.verify('{"a":"u"}', headers)).toThrow('No matching signature');
    expect(() => verifier.verify(message.body, { ...headers, 'webhook-id': 'evt_2' })).toThrow('No matching');
    const old = signatureHeaders(message, [secret], new Date(now.getTime() - 6 * 60_000));
    expect(() => verifier.verify(message.body, old)).toThrow('too old');
  });

  it('use secrets of whsec_ and 32 random bytes', () => {
    const secret = createSigningSecret();
    expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  });
});
