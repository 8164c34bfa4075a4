import { WebhookVerificationError, verifyWebhook } from '../../../sdk/typescript/src/index.ts';
import { createSigningSecret, signatureHeaders } from '../../../src/webhooks/signing.ts';

const [secret, former] = [createSigningSecret(), createSigningSecret()];
const event = { id: 'evt_5g5SLmIUyUPNOjKUl2iEhwBJ', type: 'payment.paid', data: { id: 'p', status: 'paid' } };
const body = JSON.stringify(event);
const ago = (seconds: number): Date => new Date(Date.now() - seconds * 1_000);
const signed = (secrets: string[] = [secret], at = ago(0)) =>
  signatureHeaders({ id: event.id, body }, secrets, at);

describe('webhooks.verify', () => {
  it.each<[string, string | Uint8Array | ArrayBuffer]>([
    ['text', body],
    ['a Buffer', Buffer.from(body)],
    ['bytes', new TextEncoder().encode(body)],
    ['an ArrayBuffer', new TextEncoder().encode(body).buffer],
  ])('returns the event of %s', async (_what, rawBody) => {
    const verified = await verifyWebhook(rawBody, signed(), secret);
    expect(verified).toEqual(event);
    expect(verified.type === 'payment.paid' ? verified.data.status : null).toBe('paid');
  });

  it('takes the headers of fetch and of Node.js', async () => {
    const headers = signed();
    expect(await verifyWebhook(body, new Headers(headers), secret)).toEqual(event);
    const ofNode = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]),
    );
    expect(await verifyWebhook(body, ofNode, secret)).toEqual(event);
  });

  it('takes either secret during a rotation', async () => {
    expect(await verifyWebhook(body, signed([secret, former]), former)).toEqual(event);
    expect(await verifyWebhook(body, signed([former]), [secret, former])).toEqual(event);
  });

  it('returns an event of an unknown type', async () => {
    const newer = JSON.stringify({ ...event, type: 'payment.new' });
    const headers = signatureHeaders({ id: event.id, body: newer }, [secret], ago(0));
    expect((await verifyWebhook(newer, headers, secret)).type).toBe('payment.new');
  });

  it.each<[string, () => Promise<unknown>, RegExp]>([
    ['a parsed body', () => verifyWebhook(event as never, signed(), secret), /parsed already/],
    ['a changed body', () => verifyWebhook(`${body} `, signed(), secret), /No signature matches/],
    ['another secret', () => verifyWebhook(body, signed(), former), /No signature matches/],
    ['no secret', () => verifyWebhook(body, signed(), ''), /whsec_/],
    ['a malformed secret', () => verifyWebhook(body, signed(), 'whsec_***'), /whsec_/],
    ['no headers', () => verifyWebhook(body, {}, secret), /headers/],
    [
      'a clock that is 10 minutes off',
      () => verifyWebhook(body, signed([secret], ago(600)), secret),
      /(599|600|601) seconds away from the clock/,
    ],
    ['a time to come', () => verifyWebhook(body, signed([secret], ago(-600)), secret), /the clock is wrong/],
    [
      'a signature of another version',
      () =>
        verifyWebhook(
          body,
          { ...signed(), 'webhook-signature': signed()['webhook-signature'].replace('v1,', 'v2,') },
          secret,
        ),
      /No signature matches/,
    ],
  ])('refuses %s with a reason that has no secret', async (_what, verify, reason) => {
    const error = await verify().then(
      () => null,
      (thrown: unknown) => thrown as Error,
    );
    expect(error).toBeInstanceOf(WebhookVerificationError);
    expect(error?.message).toMatch(reason);
    expect(error?.message).not.toContain(secret.slice(6));
  });

  it('takes a delivery that is four minutes old', async () => {
    expect(await verifyWebhook(body, signed([secret], ago(240)), secret)).toEqual(event);
  });
});
