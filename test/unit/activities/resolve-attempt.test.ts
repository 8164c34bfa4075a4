import { MockActivityEnvironment } from '@temporalio/testing';
import type { AttemptActivityDeps } from '../../../src/activities/authorize.ts';
import { queryOnce, resolve } from '../../../src/activities/resolve-attempt.ts';
import type { Connectors, ProviderPorts } from '../../../src/providers/connectors.ts';
import type { Charge, PaymentNetwork } from '../../../src/providers/ports.ts';
import { databaseOf, partial } from '../../support/partial.ts';

const attempt = { paymentId: '01980a5c-7a64-7c3e-9d1f-2b6f0c3e8a11', attemptNo: 1 };
const charge = partial<Charge>({
  status: 'captured',
  currency: 'USD',
  amountCents: 2_500,
  card: null,
  capturedAtMs: 0,
});

/** Returns the changes of alerts and answers, in order, when the network shows this charge. */
async function writesFor(
  ask: (deps: AttemptActivityDeps) => Promise<unknown>,
  shown: Charge,
): Promise<string[]> {
  const writes: string[] = [];
  const network = partial<PaymentNetwork>({
    prepare: null,
    declinesStayOpen: false,
    lookup: async () => shown,
  });
  await new MockActivityEnvironment().run(() =>
    ask(
      partial<AttemptActivityDeps>({
        database: databaseOf(async (text) => {
          if (text.includes('UPDATE operator_alerts')) writes.push('cleared');
          if (text.includes('UPDATE attempts SET answer')) writes.push('recorded');
          if (text.includes('SELECT claimed_at')) return { rows: [{ claimedAt: new Date(0) }] };
          if (text.includes('FROM payments WHERE id') && !text.includes('clock_timestamp'))
            return { rows: [{ id: attempt.paymentId, amountCents: 2_500 }] };
          return { rows: [] };
        }),
        connectors: partial<Connectors>({ portsOf: async () => partial<ProviderPorts>({ network }) }),
      }),
    ),
  );
  return writes;
}

describe.each<[string, (deps: AttemptActivityDeps) => Promise<unknown>]>([
  ['resolving an attempt', (deps) => resolve(deps, attempt, false)],
  ['a query beside the call of another process', (deps) => queryOnce(deps, attempt)],
])('%s', (_, ask) => {
  it('clears the alert about a charge that is understood again, before the answer may raise another', async () => {
    expect(await writesFor(ask, charge)).toEqual(['cleared', 'recorded']);
  });

  it('clears nothing while the charge is not understood', async () => {
    expect(await writesFor(ask, { ...charge, status: 'unreadable' })).toEqual([]);
  });
});

it.each<[string, number, string]>([
  ['is not given up while its claim is young', 29_000, 'unknown'],
  ['is given up when its claim is old', 31_000, 'voided'],
])('an unseen charge %s, by the clock of PostgreSQL', async (_, ageMs, status) => {
  const network = partial<PaymentNetwork>({
    prepare: null,
    declinesStayOpen: false,
    lookup: async () => null,
    unseenKeys: { closedBy: 'horizon', afterMs: 30_000 },
  });
  const report = await new MockActivityEnvironment().run(() =>
    resolve(
      partial<AttemptActivityDeps>({
        database: databaseOf(async (text) => {
          if (text.includes('"ageMs"')) return { rows: [{ ageMs }] };
          // By this host's clock the claim is decades old.
          if (text.includes('SELECT claimed_at')) return { rows: [{ claimedAt: new Date(0) }] };
          if (text.includes('FROM payments WHERE id') && !text.includes('clock_timestamp'))
            return { rows: [{ id: attempt.paymentId, amountCents: 2_500 }] };
          return { rows: [] };
        }),
        connectors: partial<Connectors>({ portsOf: async () => partial<ProviderPorts>({ network }) }),
      }),
      attempt,
      false,
    ),
  );
  expect(report).toMatchObject({ outcome: { status } });
});
