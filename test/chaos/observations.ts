import { Client, Connection } from '@temporalio/client';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Call } from './history.ts';
import type { Delivery } from './receiver.ts';
import { type Rows, readRows } from './rows.ts';
import type { Stack } from './stack.ts';

const charge = z.object({ attemptId: z.string(), amountCents: z.number(), status: z.string() });
const ledgerRefund = z.object({
  /** The refund's id. */
  key: z.string(),
  paymentId: z.string(),
  amountCents: z.number(),
  status: z.string(),
  failureCode: z.string().nullable(),
});
const networkDispute = z.object({
  disputeId: z.string(),
  paymentId: z.string(),
  reason: z.string(),
  status: z.string(),
});
const ledger = z.object({ charges: z.array(charge), refunds: z.array(ledgerRefund) });
/** The ledger of the Stripe dialect lists the disputes as well. */
const disputes = z.object({ disputes: z.array(networkDispute) });

/** Everything the checker judges from, read from each system by itself. */
export interface Observations extends Rows {
  history: Call[];
  /** The network's charges, by payment. */
  ledgers: Map<string, z.infer<typeof charge>[]>;
  /** The network's refunds and disputes, of all payments. */
  ledgerRefunds: z.infer<typeof ledgerRefund>[];
  networkDisputes: z.infer<typeof networkDispute>[];
  /** The network has a record of refunds that it never made. */
  keepsRefusedRefunds: boolean;
  /** The state of each payment's workflow, `MISSING` when there is none. */
  workflows: Map<string, string>;
  received: Delivery[];
  logs: { name: string; text: string }[];
  /** Secrets that no log may hold. */
  canaries: string[];
}

/** Observes what became of the payments created since `since`, with what their clients saw. */
export async function observe(stack: Stack, history: Call[], since: Date): Promise<Observations> {
  const rows = await readRows(stack.databaseUrl, since);
  const ids = rows.payments.map(({ id }) => id);
  return {
    ...rows,
    ...(await askNetwork(stack, ids)),
    history,
    workflows: await describeWorkflows(stack.temporalAddress, ids),
    received: stack.receiver.received.filter(({ body }) => ids.some((id) => body.includes(id))),
    logs: readLogs(stack.logsDirectory),
    canaries: [stack.apiKey, ...secretsSeen(history)],
  };
}

async function askNetwork(
  { networkUrl, networkKey, network }: Stack,
  paymentIds: readonly string[],
): Promise<Pick<Observations, 'ledgers' | 'ledgerRefunds' | 'networkDisputes' | 'keepsRefusedRefunds'>> {
  const ask = async (path: string): Promise<unknown> => {
    const response = await fetch(networkUrl + path, { headers: { authorization: `Bearer ${networkKey}` } });
    return response.json();
  };
  const ledgers: Observations['ledgers'] = new Map();
  const ledgerRefunds: Observations['ledgerRefunds'] = [];
  const networkDisputes: Observations['networkDisputes'] = [];
  for (const id of paymentIds) {
    const listed = await ask(`/ledger?paymentId=${id}`);
    const { charges, refunds } = ledger.parse(listed);
    ledgers.set(id, charges);
    ledgerRefunds.push(...refunds);
    const found = network === 'stripe' ? listed : await ask(`/v1/disputes?paymentId=${id}`);
    networkDisputes.push(...disputes.parse(found).disputes.map(inOurWords));
  }
  return { ledgers, ledgerRefunds, networkDisputes, keepsRefusedRefunds: network !== 'stripe' };
}

/** Stripe's states of a dispute, as the rows store them. */
const inOurWords = <Dispute extends { status: string }>(dispute: Dispute): Dispute => ({
  ...dispute,
  status: { needs_response: 'needsResponse', under_review: 'underReview' }[dispute.status] ?? dispute.status,
});

async function describeWorkflows(
  address: string,
  paymentIds: readonly string[],
): Promise<Map<string, string>> {
  const connection = await Connection.connect({ address });
  try {
    const { workflow } = new Client({ connection });
    const states = new Map<string, string>();
    for (const id of paymentIds) {
      const run = await workflow
        .getHandle(`payment-${id}`)
        .describe()
        .catch(() => null);
      states.set(id, run?.status.name ?? 'MISSING');
    }
    return states;
  } finally {
    await connection.close();
  }
}

function readLogs(directory: string): { name: string; text: string }[] {
  return readdirSync(directory)
    .filter((name) => /^(api|worker)/.test(name))
    .map((name) => ({ name, text: readFileSync(join(directory, name), 'utf8') }));
}

function secretsSeen(history: readonly Call[]): string[] {
  return history.flatMap(({ op, data }) => (op === 'capture' && data?.capture ? [data.capture.secret] : []));
}
