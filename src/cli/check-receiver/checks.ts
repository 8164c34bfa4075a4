import { randomUUID } from 'node:crypto';
import { createSigningSecret } from '../../webhooks/signing.ts';
import { type Answer, type Delivery, sampleEvent, send, signed } from './delivery.ts';

export interface CheckOptions {
  url: string;
  secret: string;
  reference: string;
  /** Where the number of fulfilled orders is told; null when it is not. */
  fulfilmentsUrl: string | null;
}

export interface CheckResult {
  title: string;
  /** What the endpoint got wrong and what to do about it; null when it did well. */
  fault: string | null;
  /** What could not be seen from here, and what would show it; null when all of the check was made. */
  unchecked: string | null;
}

interface Check {
  title: string;
  /** Orders these deliveries may fulfil at most. */
  mayFulfil: number;
  /** What the title says about orders, which only their number can show. */
  needsCount?: boolean;
  run: (deliver: (delivery: Delivery) => Promise<Answer>) => Promise<string | null>;
}

const needsCount = 'answered well; what became of the order is not seen: name --fulfilments-url';
const slowAnswerMs = 5_000;
const hour = 3_600_000;

/** Runs every check in turn; `told` hears of each as it ends. Throws `Unreachable` when nobody listens. */
export async function checkReceiver(
  options: CheckOptions,
  told: (result: CheckResult) => void,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  const tell = (result: CheckResult): void => {
    results.push(result);
    told(result);
  };
  let slowest = 0;
  const deliver = async (delivery: Delivery): Promise<Answer> => {
    const answer = await send(options.url, delivery);
    slowest = Math.max(slowest, answer.ms - (delivery.slowMs ?? 0));
    return answer;
  };
  for (const check of checks(options)) {
    const before = await fulfilled(options.fulfilmentsUrl);
    let fault = await check.run(deliver);
    const after = await fulfilled(options.fulfilmentsUrl);
    if (before !== null && after !== null && after - before > check.mayFulfil) {
      fault = `${after - before} orders were fulfilled where at most ${check.mayFulfil} may be: fulfil with one conditional UPDATE (docs/webhooks.md)`;
    }
    const unseen = check.needsCount === true && (before === null || after === null) && fault === null;
    tell({ title: check.title, fault, unchecked: unseen ? needsCount : null });
  }
  tell({
    title: 'answers come quickly',
    fault:
      slowest > slowAnswerMs
        ? `one took ${slowest} ms: store the event, answer 2xx, work afterwards; after 15 s it is a failure`
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
  counts: { mayFulfil: number; needsCount?: boolean } = { mayFulfil: 1 },
): Check => ({
  title,
  ...counts,
  run: async (deliver) => mustAccept(await deliver(make()), advice),
});

const refuses = (title: string, make: () => Delivery, advice: string): Check => ({
  title,
  mayFulfil: 0,
  run: async (deliver) => mustRefuse(await deliver(make()), advice),
});

/** Deliveries that an endpoint takes. */
function acceptedChecks({ secret, event }: Sample, reference: string): Check[] {
  const paid = signed(event({ paymentId: randomUUID() }), [secret]);
  return [
    accepts(
      'a signed delivery is taken',
      () => paid,
      'verify over the raw bytes of the body, before any JSON parser',
    ),
    accepts(
      'the same delivery again is taken and changes nothing',
      () => paid,
      'remember event ids and answer 2xx',
      { mayFulfil: 0, needsCount: true },
    ),
    {
      title: 'five copies at the same time are taken, one counts',
      needsCount: true,
      mayFulfil: 1,
      run: async (deliver) => {
        const copy = signed(event({ paymentId: randomUUID(), reference: `${reference}-copies` }), [secret]);
        const answers = await Promise.all(Array.from({ length: 5 }, () => deliver(copy)));
        return firstFault(answers, 'let the database decide between copies: one conditional UPDATE');
      },
    },
    {
      title: 'an older event after a newer one is taken and undoes nothing',
      needsCount: true,
      mayFulfil: 1,
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
      'a delivery with two signatures is taken (a secret is being rotated)',
      () => signed(event(), [createSigningSecret(), secret]),
      'the header holds several signatures, separated by spaces: one match is enough',
    ),
    accepts(
      'an event of an unknown type is taken',
      () => signed(event({ type: 'payment.someLaterType', status: 'pending' }), [secret]),
      'new types appear: answer 2xx to those you do not know',
      { mayFulfil: 0 },
    ),
    accepts(
      'unknown fields are ignored',
      () => signed(event({ extra: { somethingNew: { nested: true } } }), [secret]),
      'new fields appear: ignore those you do not know',
    ),
    accepts(
      'the signature is checked over the bytes as sent',
      () => {
        const { id, body } = event({ metadata: { naïve: '\u2028 é 😀', number: 1e21 } });
        return signed({ id, body: JSON.stringify(JSON.parse(body), null, 3) }, [secret]);
      },
      'do not re-serialize the parsed JSON: sign the raw body',
    ),
    accepts(
      'a body of 18 KB is taken',
      () => signed(event({ metadata: { filler: 'x'.repeat(16_000) } }), [secret]),
      'allow bodies of at least 64 KB',
    ),
    accepts(
      'a body that arrives slowly is taken',
      () => ({ ...signed(event(), [secret]), slowMs: 2_000 }),
      'read the body to its end before you verify',
    ),
  ];
}

/** Deliveries that are forged, changed or replayed. */
function refusedChecks({ secret, event }: Sample): Check[] {
  return [
    refuses(
      'a delivery signed with another secret is refused',
      () => signed(event(), [createSigningSecret()]),
      'anyone can post to your endpoint: compare the signature, in constant time',
    ),
    refuses(
      'a changed body is refused',
      () => {
        const delivery = signed(event(), [secret]);
        return { ...delivery, body: delivery.body.replace('"amountCents":2500', '"amountCents":2501') };
      },
      'the signature covers the body',
    ),
    refuses(
      'another event id under the same signature is refused',
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
      'a delivery without signature is refused',
      () => ({ ...event(), headers: {} }),
      'refuse what lacks webhook-id, webhook-timestamp or webhook-signature',
    ),
    refuses(
      'a signature of another version is refused',
      () => {
        const delivery = signed(event(), [secret]);
        const value = (delivery.headers['webhook-signature'] ?? '').replace('v1,', 'v9,');
        return { ...delivery, headers: { ...delivery.headers, 'webhook-signature': value } };
      },
      'only v1 signatures count',
    ),
    refuses(
      'a delivery of an hour ago is refused, though well signed',
      () => signed(event(), [secret], new Date(Date.now() - hour)),
      'refuse a webhook-timestamp more than 5 minutes from now: somebody may replay it',
    ),
    refuses(
      'a delivery from the future is refused',
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
  if (!Number.isFinite(count)) throw new Error('--fulfilments-url must answer a number or {"count": n}');
  return count;
}
