import { randomUUID } from 'node:crypto';
import { createSigningSecret } from '../../../../src/webhooks/signing.ts';
import { type Answer, type Delivery, sampleEvent, send, signed } from './delivery.ts';

export interface CheckOptions {
  url: string;
  secret: string;
  reference: string;
  /** Address that returns the number of fulfilled orders; null without one. */
  fulfillmentsUrl: string | null;
}

export interface CheckResult {
  title: string;
  /** The endpoint's mistake and its fix; null when it made none. */
  fault: string | null;
  /** The part that could not be checked, and how to permit it; null when the whole check was made. */
  unchecked: string | null;
}

interface Check {
  title: string;
  /** The most orders that these deliveries may fulfill. */
  mayFulfill: number;
  /** Whether the title is about orders, which only the number of fulfilled orders can prove. */
  needsCount?: boolean;
  run: (deliver: (delivery: Delivery) => Promise<Answer>) => Promise<string | null>;
}

const needsCount = 'the answer is right; the order was not checked: pass --fulfillments-url';
const slowAnswerMs = 5_000;
const hour = 3_600_000;

/** Runs every check and passes each result to `onResult`. Throws `Unreachable` without a listening server. */
export async function checkReceiver(
  options: CheckOptions,
  onResult: (result: CheckResult) => void,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  const report = (result: CheckResult): void => {
    results.push(result);
    onResult(result);
  };
  let slowest = 0;
  const deliver = async (delivery: Delivery): Promise<Answer> => {
    const answer = await send(options.url, delivery);
    slowest = Math.max(slowest, answer.ms - (delivery.slowMs ?? 0));
    return answer;
  };
  for (const check of checks(options)) {
    const before = await fulfilled(options.fulfillmentsUrl);
    let fault = await check.run(deliver);
    const after = await fulfilled(options.fulfillmentsUrl);
    if (before !== null && after !== null && after - before > check.mayFulfill) {
      fault = `${after - before} orders were fulfilled where at most ${check.mayFulfill} may be: fulfill with one conditional UPDATE (docs/webhooks.md)`;
    }
    const unseen = check.needsCount === true && (before === null || after === null) && fault === null;
    report({ title: check.title, fault, unchecked: unseen ? needsCount : null });
  }
  report({
    title: 'answers within a few seconds',
    fault:
      slowest > slowAnswerMs
        ? `one answer took ${slowest} ms: store the event, answer 2xx, then work; after 15 s the delivery has failed`
        : null,
    unchecked: null,
  });
  return results;
}

/** Makes the deliveries of the checks: events of one order, signed with one secret. */
interface Sample {
  secret: string;
  event: (fields?: Partial<Parameters<typeof sampleEvent>[0]>) => { id: string; body: string };
}

function checks({ secret, reference }: CheckOptions): Check[] {
  const sample: Sample = { secret, event: (fields = {}) => sampleEvent({ reference, ...fields }) };
  return [...acceptedChecks(sample, reference), ...refusedChecks(sample)];
}

const accepts = (
  title: string,
  make: () => Delivery,
  advice: string,
  counts: { mayFulfill: number; needsCount?: boolean } = { mayFulfill: 1 },
): Check => ({
  title,
  ...counts,
  run: async (deliver) => mustAccept(await deliver(make()), advice),
});

const refuses = (title: string, make: () => Delivery, advice: string): Check => ({
  title,
  mayFulfill: 0,
  run: async (deliver) => mustRefuse(await deliver(make()), advice),
});

/** Returns the checks with deliveries that an endpoint must accept. */
function acceptedChecks({ secret, event }: Sample, reference: string): Check[] {
  const paid = signed(event({ paymentId: randomUUID() }), [secret]);
  return [
    accepts(
      'accepts a signed delivery',
      () => paid,
      'verify over the raw bytes of the body, before any JSON parser',
    ),
    accepts('accepts a repeated delivery without effect', () => paid, 'remember event ids and answer 2xx', {
      mayFulfill: 0,
      needsCount: true,
    }),
    {
      title: 'accepts five copies at the same time and counts one',
      needsCount: true,
      mayFulfill: 1,
      run: async (deliver) => {
        const copy = signed(event({ paymentId: randomUUID(), reference: `${reference}-copies` }), [secret]);
        const answers = await Promise.all(Array.from({ length: 5 }, () => deliver(copy)));
        return firstFault(answers, 'let the database decide between copies: one conditional UPDATE');
      },
    },
    {
      title: 'accepts an older event after a newer one without undoing it',
      needsCount: true,
      mayFulfill: 1,
      run: async (deliver) => {
        const paymentId = randomUUID();
        const newer = signed(event({ paymentId, sequence: 2, previousStatus: 'requiresAction' }), [secret]);
        const older = signed(event({ paymentId, sequence: 1, status: 'requiresAction' }), [secret]);
        return firstFault(
          [await deliver(newer), await deliver(older)],
          'keep the highest sequence of each payment; answer 2xx to older events',
        );
      },
    },
    accepts(
      'accepts a delivery with two signatures, as during the rotation of a secret',
      () => signed(event(), [createSigningSecret(), secret]),
      'the header holds several signatures, separated by spaces: one match is enough',
    ),
    accepts(
      'accepts an event of an unknown type',
      () => signed(event({ type: 'payment.someLaterType', status: 'pending' }), [secret]),
      'new types appear: answer 2xx to those you do not know',
      { mayFulfill: 0 },
    ),
    accepts(
      'ignores unknown fields',
      () => signed(event({ extra: { somethingNew: { nested: true } } }), [secret]),
      'new fields appear: ignore those you do not know',
    ),
    accepts(
      'verifies the signature over the bytes as sent',
      () => {
        const { id, body } = event({ metadata: { naïve: '\u2028 é 😀', number: 1e21 } });
        return signed({ id, body: JSON.stringify(JSON.parse(body), null, 3) }, [secret]);
      },
      'do not re-serialize the parsed JSON: sign the raw body',
    ),
    accepts(
      'accepts a body of 18 KB',
      () => signed(event({ metadata: { filler: 'x'.repeat(16_000) } }), [secret]),
      'allow bodies of at least 64 KB',
    ),
    accepts(
      'accepts a body that arrives slowly',
      () => ({ ...signed(event(), [secret]), slowMs: 2_000 }),
      'read the body to its end before you verify',
    ),
  ];
}

/** Returns the checks with deliveries that are forged, changed or replayed. */
function refusedChecks({ secret, event }: Sample): Check[] {
  return [
    refuses(
      'refuses a delivery signed with another secret',
      () => signed(event(), [createSigningSecret()]),
      'anyone can post to your endpoint: compare the signature, in constant time',
    ),
    refuses(
      'refuses a changed body',
      () => {
        const delivery = signed(event(), [secret]);
        return { ...delivery, body: delivery.body.replace('"amountCents":2500', '"amountCents":2501') };
      },
      'the signature covers the body',
    ),
    refuses(
      'refuses another event id under the same signature',
      () => {
        const delivery = signed(event(), [secret]);
        return {
          ...delivery,
          headers: { ...delivery.headers, 'webhook-id': 'evt_000000000000000000000000' },
        };
      },
      'the signature covers webhook-id: sign id.timestamp.body',
    ),
    refuses(
      'refuses a delivery without a signature',
      () => ({ ...event(), headers: {} }),
      'refuse deliveries without webhook-id, webhook-timestamp or webhook-signature',
    ),
    refuses(
      'refuses a signature of another version',
      () => {
        const delivery = signed(event(), [secret]);
        const value = (delivery.headers['webhook-signature'] ?? '').replace('v1,', 'v9,');
        return { ...delivery, headers: { ...delivery.headers, 'webhook-signature': value } };
      },
      'only v1 signatures count',
    ),
    refuses(
      'refuses a correctly signed delivery of an hour ago',
      () => signed(event(), [secret], new Date(Date.now() - hour)),
      'refuse a webhook-timestamp more than 5 minutes from now: it may be a replay',
    ),
    refuses(
      'refuses a delivery from the future',
      () => signed(event(), [secret], new Date(Date.now() + hour)),
      'refuse a webhook-timestamp more than 5 minutes from now',
    ),
  ];
}

const unreachable = 'there was no answer within 15 s';

function mustAccept({ status }: Answer, advice: string): string | null {
  if (status === null) return unreachable;
  return status >= 200 && status <= 299 ? null : `answered ${status}, wanted 2xx: ${advice}`;
}

function mustRefuse({ status }: Answer, advice: string): string | null {
  if (status === null) return unreachable;
  return status >= 400 && status <= 499 ? null : `answered ${status}, wanted 4xx: ${advice}`;
}

const firstFault = (answers: Answer[], advice: string): string | null =>
  answers.map((answer) => mustAccept(answer, advice)).find((fault) => fault !== null) ?? null;

async function fulfilled(url: string | null): Promise<number | null> {
  if (url === null) return null;
  const answer: unknown = await (await fetch(url, { signal: AbortSignal.timeout(5_000) })).json();
  const count =
    typeof answer === 'object' && answer !== null && 'count' in answer
      ? Number(answer.count)
      : Number(answer);
  if (!Number.isFinite(count)) throw new Error('--fulfillments-url must answer a number or {"count": n}');
  return count;
}
