import { createHash } from 'node:crypto';
import { uuidv7 } from 'uuidv7';
import {
  addDisputeFile,
  findDisputeFile,
  listDisputeFiles,
  removeDisputeFile,
} from '../../../src/db/disputes/dispute-files.ts';
import { disputesToHandle } from '../../../src/db/disputes/dispute-reads.ts';
import { readPaymentPage } from '../../../src/db/payments/payment-lists.ts';
import {
  ApprovalNeeded,
  ConfirmationNeeded,
  approvalFor,
  askApproval,
  openApprovals,
  recordApproved,
} from '../../../src/db/refunds/refund-approvals.ts';
import { refundMembers } from '../../../src/db/refunds/refund-reads.ts';
import {
  listEventDeliveries,
  listPaymentDeliveries,
  ownDeliveries,
} from '../../../src/db/webhooks/delivery-reads.ts';
import { readEndpointFailures, readEndpointHealth } from '../../../src/db/webhooks/endpoint-health.ts';
import { Refusal } from '../../../src/domain/refusals.ts';
import { movementsCsv } from '../../../src/operations/movements-csv.ts';
import { clearCardTesting } from '../../../src/operations/payments/card-testing.ts';
import { createRefund } from '../../../src/operations/refunds/create-refund.ts';
import { redeliverChosen } from '../../../src/operations/webhooks/endpoints.ts';
import { sendSample } from '../../../src/operations/webhooks/sample.ts';
import { paymentWorkflowId } from '../../../src/temporal/contract/ids.ts';
import { operatorCloseCheckoutUpdate } from '../../../src/temporal/contract/payment.ts';
import { createSender } from '../../../src/webhooks/sender.ts';
import { unanswered } from '../../chaos/history.ts';
import type { Caller } from './caller.ts';
import { type Dashboard, byMember } from './dashboard.ts';
import { otherReceiver } from './endpoint-client.ts';

/** A one-pixel file that the dashboard accepts as a picture. */
const picture = Buffer.concat([Buffer.from('\u0089PNG\r\n\u001a\n\0\0\0\rIHDR', 'latin1'), Buffer.alloc(64)]);

type Task = (member: DashboardMember) => Promise<void>;

const tasks: readonly (readonly [Task, number])[] = [
  [(member) => member.refundWithApproval(), 4],
  [(member) => member.attachFiles(), 4],
  [(member) => member.readLists(), 3],
  [(member) => member.sendAgain(), 2],
  [(member) => member.clearDeclines(), 2],
  [(member) => member.closeCheckout(), 1],
  [(member) => member.sendSample(), 1],
];

/**
 * Plays two members of a shop's dashboard, with the operations behind its pages. A statement or a call of
 * Temporal that fails ends one task, and the next one begins.
 */
export async function workInDashboard(caller: Caller, dashboard: Dashboard): Promise<void> {
  const { random, client, context } = caller;
  const member = new DashboardMember(caller, dashboard);
  for (let count = random.between(4, 8); count > 0 && !client.isOver; count -= 1) {
    await client.pause(1_000, 5_000);
    await random
      .weighted(tasks)(member)
      .catch((error: unknown) => context.scheduler.note(`a member's task failed: ${String(error)}`));
  }
}

class DashboardMember {
  readonly #caller: Caller;
  readonly #dashboard: Dashboard;

  constructor(caller: Caller, dashboard: Dashboard) {
    this.#caller = caller;
    this.#dashboard = dashboard;
  }

  /** Makes a refund; from the shop's limit on the other member has to approve it. */
  async refundWithApproval(): Promise<void> {
    const { random, shop } = this.#caller;
    const { deps, members } = this.#dashboard;
    const { rows } = await deps.database.query<{ id: string; cents: number }>(
      `SELECT id, amount_cents::int AS cents FROM payments
       WHERE merchant_id = $1 AND environment = $2 AND status IN ('paid', 'partiallyRefunded')
       ORDER BY created_at DESC LIMIT 5`,
      [shop.tenant.merchantId, shop.tenant.environment],
    );
    const payment = rows[random.below(Math.max(1, rows.length))];
    if (payment === undefined) return;
    const amountCents = Math.max(1, Math.round(payment.cents * random.pick([0.1, 0.3, 1])));
    const [asking, approving] = members;
    const key = `dashboard-${uuidv7()}`;
    const command = { amountCents, reason: null, reference: null, metadata: {} };
    const refund = { paymentId: payment.id, key, body: { amountCents }, command };
    try {
      const limit = random.chance(0.3) ? { confirmFromCents: 1_000 } : {};
      await this.#refund({ ...refund, ...limit }, asking);
    } catch (error) {
      if (error instanceof ConfirmationNeeded) return;
      if (!(error instanceof ApprovalNeeded)) throw error;
      const asked = { paymentId: payment.id, amountCents, reason: null, reference: null, formKey: key };
      await askApproval(deps.database, shop.tenant, asking, asked, byMember(asking));
      await this.#caller.client.pause(200, 2_000);
      await this.#approve(payment.id, random.chance(0.35) ? asking : approving);
    }
    await refundMembers(deps.database, payment.id);
  }

  async #approve(paymentId: string, member: Dashboard['members'][number]): Promise<void> {
    const { database } = this.#dashboard.deps;
    const { tenant } = this.#caller.shop;
    for (const { id } of await openApprovals(database, paymentId, new Date())) {
      const of = { id, paymentId, memberId: member.id };
      const found = await approvalFor(database, tenant, of, byMember(member));
      if (typeof found === 'string') return;
      const { amountCents, reason, reference } = found;
      const command = { amountCents, reason, reference, metadata: {} };
      const asked = { paymentId, key: `approval-${id}`, body: { approval: id }, command, approvalId: id };
      // The same approval twice at once makes one refund.
      const made = await Promise.all([this.#refund(asked, member), this.#refund(asked, member)]);
      const refundId = made.find((one) => one !== null);
      if (refundId === undefined || refundId === null) return;
      await recordApproved(database, tenant, { id, memberId: member.id, refundId }, byMember(member));
    }
  }

  /** Makes a refund, and records it like those of the API. Returns its id, null when it was refused. */
  async #refund(
    request: Parameters<typeof createRefund>[2],
    member: Dashboard['members'][number],
  ): Promise<string | null> {
    const { shop, index, context } = this.#caller;
    const { paymentId, key } = request;
    const startedAtMs = Date.now();
    const record = (id: string | null): void => {
      const answer = id === null ? {} : ({ result: 'ok', data: { id }, text: id } as const);
      const call = { client: index, op: 'refund', paymentId, key, startedAtMs, endedAtMs: Date.now() };
      context.workload.history.push({ ...unanswered('dashboard'), ...call, ...answer });
    };
    try {
      const { refund } = await createRefund(
        this.#dashboard.deps,
        shop.tenant,
        request,
        byMember(member).actor,
      );
      record(refund.id);
      return refund.id;
    } catch (error) {
      if (error instanceof ApprovalNeeded || error instanceof ConfirmationNeeded) throw error;
      record(null);
      if (error instanceof Refusal) return null;
      throw error;
    }
  }

  /** Adds files to a dispute that needs a response, reads them, and removes one. */
  async attachFiles(): Promise<void> {
    const { random, shop } = this.#caller;
    const { database } = this.#dashboard.deps;
    const { tenant } = shop;
    const [member] = this.#dashboard.members;
    const { rows, next } = await disputesToHandle(database, tenant, null, null, 3);
    if (next !== null) await disputesToHandle(database, tenant, null, next, 3);
    const dispute = rows[random.below(Math.max(1, rows.length))];
    if (dispute === undefined) return;
    for (let files = random.between(1, 6); files > 0; files -= 1) {
      const bytes = Buffer.concat([picture, Buffer.alloc(random.pick([files, 1_100_000]))]);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const file = {
        id: uuidv7(),
        name: `proof-${files}.png`,
        contentType: 'image/png',
        bytes,
        sha256,
      } as const;
      await addDisputeFile(database, tenant, dispute.id, file, byMember(member));
    }
    const stored = await listDisputeFiles(database, tenant, dispute.id);
    const of = { disputeId: dispute.id, id: stored[0]?.id ?? uuidv7() };
    await findDisputeFile(database, tenant, of);
    if (random.chance(0.5)) await removeDisputeFile(database, tenant, of, byMember(member));
  }

  /** Reads the lists of the dashboard: payments with their sums, the health of endpoints, movements. */
  async readLists(): Promise<void> {
    const { random, shop } = this.#caller;
    const { deps, lists } = this.#dashboard;
    const { tenant } = shop;
    const search = random.pick([
      {},
      { q: 'order' },
      { q: 'sandbox-100' },
      { statuses: ['paid', 'failed'] as const },
    ]);
    const order = random.pick(['newest', 'oldest', 'largest', 'smallest'] as const);
    await lists.read(tenant, (database) =>
      readPaymentPage(database, tenant, search, { order, page: random.between(1, 2), perPage: 5 }),
    );
    await readEndpointHealth(deps.database, tenant, new Date(Date.now() - 86_400_000));
    await readEndpointFailures(deps.database, tenant);
    const span = { from: new Date('2030-01-01'), until: new Date('2030-01-03') };
    for await (const part of movementsCsv(lists, tenant, span)) if (part === '') return;
  }

  /** Sends chosen deliveries of one payment again. */
  async sendAgain(): Promise<void> {
    const { random, shop } = this.#caller;
    const { deps, members } = this.#dashboard;
    const { ids } = await this.#caller.list('/v1/payments?perPage=10');
    const id = ids[random.below(Math.max(1, ids.length))];
    if (id === undefined) return;
    const deliveries = await listPaymentDeliveries(deps.database, id);
    const [first] = deliveries;
    if (first !== undefined) await listEventDeliveries(deps.database, shop.tenant, first.eventId);
    const chosen = await ownDeliveries(deps.database, shop.tenant, deliveries.slice(0, 3));
    await redeliverChosen(deps, shop.tenant, chosen, byMember(members[0]).actor);
  }

  /** Closes an open checkout as an operator does in Temporal's UI. It ends like one whose deadline passed. */
  async closeCheckout(): Promise<void> {
    const { shop, context } = this.#caller;
    const { deps, workflows } = this.#dashboard;
    const { rows } = await deps.database.query<{ id: string }>(
      `SELECT id FROM payments WHERE merchant_id = $1 AND environment = $2 AND finalized_at IS NULL
       ORDER BY created_at DESC LIMIT 1`,
      [shop.tenant.merchantId, shop.tenant.environment],
    );
    const [payment] = rows;
    if (payment === undefined) return;
    context.made.movedDeadline.add(payment.id);
    await workflows.getHandle(paymentWorkflowId(payment.id)).executeUpdate(operatorCloseCheckoutUpdate);
  }

  /** Sends a sample to an address that is no endpoint yet. */
  async sendSample(): Promise<void> {
    const send = createSender({ rules: { allowLoopback: true } });
    const { environment } = this.#caller.shop.tenant;
    await sendSample(send, { url: `${otherReceiver}/sample`, environment, at: new Date() });
  }

  async clearDeclines(): Promise<void> {
    const { deps, members } = this.#dashboard;
    await clearCardTesting(deps.database, this.#caller.shop.tenant, byMember(members[0]));
  }
}
