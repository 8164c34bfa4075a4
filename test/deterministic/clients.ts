import { type ClientPlan, type Plan, planOf, underChange } from '../chaos/plan.ts';
import { Random } from '../support/harness/random.ts';
import type { ProviderChange } from './provider-changes.ts';
import type { PutBack } from './put-back.ts';

/** How much later the clients of each further plan begin, in ms. */
const laterMs = 400;

/** The share of the clients that pay by themselves whose customers use the hosted page. */
const hostedShare = 0.4;

/** Returns as many of the chaos harness's plans as the payments of a seed need. */
export function plansOf(seed: number, payments: number): Plan[] {
  const plans: Plan[] = [];
  for (let clients = 0; clients < payments;) {
    const plan = planOf(seed * 1_000 + plans.length);
    plans.push(plan);
    clients += plan.clients.length;
  }
  return plans;
}

/** Returns the clients of the plans, one for each payment, as the changes need them. */
export function clientsOf(
  plans: readonly Plan[],
  payments: number,
  changes: readonly (ProviderChange | PutBack)[],
): ClientPlan[] {
  const clients = plans.flatMap((plan, part) =>
    plan.clients.map((client) => ({ ...onPage(client), startMs: client.startMs + part * laterMs })),
  );
  return clients.slice(0, payments).map((client, index) =>
    // A refund elsewhere needs no client that waits for it.
    changes.reduce(
      (planned, { kind }) =>
        kind === 'refund-elsewhere' ? planned : paidOnce(underChange(planned, { kind })),
      { ...client, index },
    ),
  );
}

/**
 * Lets some customers whose rows are put back not pay again: then only the service can find their money.
 */
const paidOnce = (client: ClientPlan): ClientPlan =>
  client.behaviour === 'paysWhenOpenAgain' && new Random(client.seed ^ 0x3c6ef372).chance(0.5)
    ? { ...client, behaviour: 'pays' }
    : client;

/** Lets some clients that pay create a hosted checkout, which their customer pays on its page. */
const onPage = (client: ClientPlan): ClientPlan =>
  client.behaviour === 'pays' && new Random(client.seed ^ 0x6c8e9cf5).chance(hostedShare)
    ? { ...client, behaviour: 'usesPage' }
    : client;
