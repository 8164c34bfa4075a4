import { openConnectors } from '../../../src/connectors/open.ts';
import { listPaymentDisputes } from '../../../src/db/disputes/dispute-reads.ts';
import { findOpenPage } from '../../../src/db/payments/watched-page.ts';
import { countArchived, isAnyArchived } from '../../../src/db/payments/archive.ts';
import { listAttempts } from '../../../src/db/payments/attempts.ts';
import { loadPaymentHistory } from '../../../src/db/payments/payment-history.ts';
import { readPaymentPage } from '../../../src/db/payments/payment-lists.ts';
import type { PaymentSearch } from '../../../src/db/payments/payment-search.ts';
import { newestPayments, paymentReferences } from '../../../src/db/payments/payments.ts';
import { listUnexpectedCaptures } from '../../../src/db/payments/unexpected-captures.ts';
import { listPaymentEvents, loadEvent } from '../../../src/db/webhooks/events.ts';
import { readWorkingMethods } from '../../../src/operations/payments/working-methods.ts';
import { simulatorsOf } from '../../../src/runtime/simulators.ts';
import { verifyEvents } from '../../../src/webhooks/event-seals.ts';
import type { Caller } from './caller.ts';
import type { Dashboard } from './dashboard.ts';

/** Searches of the dashboard's list, which the API's search does not have. */
const searches = (id: string): readonly PaymentSearch[] => [
  {},
  { from: new Date('2030-01-01'), until: new Date('2030-01-02') },
  { id },
  { shortNumber: 3 },
  { email: 'ada@example.com', last4: '4242', method: 'card' },
  { last4: '4242', amountFrom: 100, amountTo: 900_000 },
  { statuses: ['paid'] },
  { checkoutStatus: 'paid', q: 'order' },
];

/**
 * Plays the support of the shop and of the operator, who read what their pages and commands show about
 * payments. Checks that every event is as it was sealed. A read that fails ends the client's work.
 */
export async function support(caller: Caller, dashboard: Dashboard): Promise<void> {
  const { client, context } = caller;
  try {
    for (let rounds = 2; rounds > 0 && !client.isOver; rounds -= 1) {
      await readAsOperator(caller, dashboard);
      await client.pause(1_000, 6_000);
      await readAsMember(caller, dashboard);
      await client.pause(1_000, 6_000);
    }
    await verifySeals(caller, dashboard);
  } catch (error) {
    context.scheduler.note(`the support's work failed: ${String(error)}`);
  }
}

/** Reads what the operator's commands show. */
async function readAsOperator({ random, shop }: Caller, { deps }: Dashboard): Promise<void> {
  const { database } = deps;
  const status = random.pick([null, 'paid', 'disputed', 'failed'] as const);
  const newest = await newestPayments(database, shop.tenant, status, 5);
  await findOpenPage(database);
  if (await isAnyArchived(database)) await countArchived(database);
  for (const { id } of newest.slice(0, 2)) {
    await loadPaymentHistory(database, id);
    await listAttempts(database, id);
    await listPaymentDisputes(database, id);
    const [event] = await listPaymentEvents(database, id);
    if (event !== undefined) await loadEvent(database, String(event['id']));
  }
}

/** Reads what the home page, the list of payments and the settings of the dashboard show. */
async function readAsMember({ random, shop, context }: Caller, dashboard: Dashboard): Promise<void> {
  const { deps, lists } = dashboard;
  const { database, keyring, now } = deps;
  const { tenant } = shop;
  await listUnexpectedCaptures(database, tenant);
  const ids = (await newestPayments(database, tenant, null, 4)).map(({ id }) => id);
  await paymentReferences(database, tenant, random.chance(0.2) ? [] : ids);
  for (const search of searches(ids[0] ?? '01980000-0000-7000-8000-000000000000')) {
    const order = random.pick(['newest', 'oldest', 'largest', 'smallest'] as const);
    await lists.read(tenant, (read) => readPaymentPage(read, tenant, search, { order, page: 1, perPage: 5 }));
  }
  const { settings } = context.world;
  const providers = openConnectors({
    ...{ database, keyring, now },
    simulators: simulatorsOf(settings),
    simulatorOptions: { networkTimeoutMs: 2_000, unseenKeyHorizonMs: null },
    cardFrame: null,
  });
  await readWorkingMethods({ database, connectors: providers.connectors }, tenant);
  await providers.close();
}

async function verifySeals({ shop }: Caller, { deps, found }: Dashboard): Promise<void> {
  const { wrong } = await verifyEvents(deps, shop.tenant);
  if (wrong !== null) found.push({ invariant: 'I10', paymentId: null, detail: `a seal: ${wrong}` });
}
