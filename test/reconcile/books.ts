import { randomUUID } from 'node:crypto';
import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DifferenceKind } from '../../src/domain/reconciliation.ts';
import { disputeIdOf } from '../../src/db/disputes/disputes.ts';
import type { Database } from '../../src/db/server/database.ts';

/** Each kind is planted so often. */
export const plantedOfEach = 5;

/** What was planted, by what it is about: the payment, and the kinds that it must be found as. */
export type Planted = Map<string, DifferenceKind[]>;

/** A payment in both books, before something is planted. */
interface Made {
  id: string;
  at: Date;
  amountCents: number;
  refund: { id: string; amountCents: number; status: string } | null;
  dispute: { reference: string; status: string } | null;
  attempt: 'paid' | 'voided' | 'processing';
  /** The amount at the network; null: it has no charge. */
  charged: { status: string; amountCents: number } | null;
}

interface Line {
  t: 'charges' | 'refunds' | 'disputes';
  k: string;
  v: Record<string, unknown>;
}

function chargeLine(key: string, merchantId: string, at: Date, status: string, amountCents: number): Line {
  const paymentId = key.split(':')[0] ?? '';
  const captured = status === 'captured';
  return {
    t: 'charges',
    k: key,
    v: {
      chargeId: `ch_${randomUUID().replaceAll('-', '')}`,
      key,
      paymentId,
      attemptId: key,
      merchantId,
      environment: 'sandbox',
      amountCents,
      currency: 'USD',
      method: 'card',
      status,
      failureCode: status === 'declined' ? 'card_declined' : null,
      card: { brand: 'visa', last4: '4242' },
      behaviour: 'paid',
      step: null,
      due: null,
      disputeAt: null,
      doubleCallbacks: false,
      bodyHash: null,
      returnUrl: 'http://127.0.0.1:9/return',
      ancestorOrigins: [],
      checkoutExpiresAt: at.getTime() + 1_800_000,
      createdAt: at.getTime(),
      capturedAt: captured ? at.getTime() : null,
    },
  };
}

function refundLine(key: string, paymentId: string, at: Date, status: string, amountCents: number): Line {
  return {
    t: 'refunds',
    k: key,
    v: {
      refundId: `re_${randomUUID().replaceAll('-', '')}`,
      key,
      paymentId,
      chargeKey: `${paymentId}:1`,
      amountCents,
      status,
      failureCode: status === 'failed' ? 'refund_rejected' : null,
      due: null,
      bodyHash: null,
      createdAt: at.getTime(),
    },
  };
}

function disputeLine(reference: string, paymentId: string, at: Date, status: string, no: number): Line {
  return {
    t: 'disputes',
    k: reference,
    v: {
      disputeId: reference,
      paymentId,
      chargeKey: `${paymentId}:1`,
      amountCents: 1_000,
      reason: 'fraudulent',
      stage: 'chargeback',
      status,
      evidenceDueAt: Date.now() + 7 * 86_400_000,
      due: null,
      createdAt: at.getTime(),
      changeNo: no,
    },
  };
}

/** The books of a merchant, at the network and in the rows, with differences planted among them. */
export class Books {
  readonly merchantId = randomUUID();
  readonly planted: Planted = new Map();
  /** Disputes at the network. */
  disputes = 0;
  readonly #made: Made[] = [];
  readonly #lines: Line[] = [];
  readonly #extra: Line[] = [];

  /** Payments of the last hours, oldest first. */
  constructor(count: number, from: Date, to: Date) {
    const step = (to.getTime() - from.getTime()) / (count + 1);
    for (let n = 0; n < count; n += 1) {
      const amountCents = 1_000 + ((n * 7) % 9_000);
      this.#made.push({
        id: randomUUID(),
        at: new Date(from.getTime() + (n + 1) * step),
        amountCents,
        refund: n % 10 === 0 ? { id: randomUUID(), amountCents: 300, status: 'succeeded' } : null,
        dispute: n % 50 === 7 ? { reference: `dp_${randomUUID()}`, status: 'needsResponse' } : null,
        attempt: 'paid',
        charged: { status: 'captured', amountCents },
      });
    }
    this.#plantAll();
  }

  #plantAll(): void {
    const free = this.#made.filter(({ refund, dispute }) => refund === null && dispute === null);
    const refunded = this.#made.filter(({ refund }) => refund !== null);
    const disputed = this.#made.filter(({ dispute }) => dispute !== null);
    // Spread over the whole span.
    const taker = (from: Made[]): (() => Made) => {
      const each = Math.max(1, Math.floor(from.length / (plantedOfEach * 12)));
      let next = 0;
      return () => {
        const one = from[next];
        next += each;
        if (!one) throw new Error('too few payments to plant every kind');
        return one;
      };
    };
    const [one, withRefund, withDispute] = [taker(free), taker(refunded), taker(disputed)];
    for (let n = 0; n < plantedOfEach; n += 1) {
      const stranger = randomUUID();
      const at = one().at;
      this.#extra.push(chargeLine(`${stranger}:1`, this.merchantId, at, 'captured', 1_234));
      this.#note(stranger, 'charge_unknown_here');

      const missing = one();
      missing.charged = null;
      this.#note(missing.id, 'charge_missing_there');

      const other = one();
      other.charged = { status: 'captured', amountCents: other.amountCents + 100 };
      this.#note(other.id, 'amount_differs');

      const unpaid = one();
      unpaid.attempt = 'voided';
      this.#note(unpaid.id, 'captured_but_not_paid');

      const declined = one();
      declined.charged = { status: 'declined', amountCents: declined.amountCents };
      this.#note(declined.id, 'paid_but_not_captured');

      const twice = one();
      this.#extra.push(chargeLine(`${twice.id}:2`, this.merchantId, twice.at, 'captured', twice.amountCents));
      this.#note(twice.id, 'captured_twice');

      const strange = one();
      this.#extra.push(refundLine(randomUUID(), strange.id, strange.at, 'succeeded', 200));
      this.#note(strange.id, 'refund_unknown_here');

      const tooMuch = one();
      this.#extra.push(
        refundLine(randomUUID(), tooMuch.id, tooMuch.at, 'succeeded', tooMuch.amountCents),
        refundLine(randomUUID(), tooMuch.id, tooMuch.at, 'succeeded', 500),
      );
      this.#note(tooMuch.id, 'refund_unknown_here', 'refund_unknown_here', 'refunded_too_much');

      const fresh = one();
      this.disputes += 1;
      this.#extra.push(disputeLine(`dp_${randomUUID()}`, fresh.id, fresh.at, 'needsResponse', this.disputes));
      this.#note(fresh.id, 'dispute_unknown_here');

      const stuck = one();
      stuck.attempt = 'processing';
      stuck.charged = { status: 'pending', amountCents: stuck.amountCents };
      this.#note(stuck.id, 'unresolved_too_long');

      this.#plantRefund(withRefund(), { status: null }, 'refund_missing_there');
      this.#plantRefund(withRefund(), { amountCents: 299 }, 'refund_amount_differs');
      this.#plantRefund(withRefund(), { status: 'failed' }, 'refund_status_differs');

      const moved = withDispute();
      if (moved.dispute) moved.dispute.status = 'lost';
      this.#note(moved.id, 'dispute_status_differs');
    }
    for (const made of this.#made) this.#write(made);
  }

  #refundChanges = new Map<string, { status?: string | null; amountCents?: number }>();

  #plantRefund(
    made: Made,
    change: { status?: string | null; amountCents?: number },
    kind: DifferenceKind,
  ): void {
    this.#refundChanges.set(made.id, change);
    this.#note(made.id, kind);
  }

  #note(paymentId: string, ...kinds: DifferenceKind[]): void {
    this.planted.set(paymentId, [...(this.planted.get(paymentId) ?? []), ...kinds]);
  }

  #write({ id, at, charged, refund, dispute }: Made): void {
    if (charged !== null)
      this.#lines.push(chargeLine(`${id}:1`, this.merchantId, at, charged.status, charged.amountCents));
    const change = this.#refundChanges.get(id) ?? {};
    if (refund !== null && change.status !== null) {
      const { amountCents = refund.amountCents, status = refund.status } = change;
      this.#lines.push(refundLine(refund.id, id, at, status, amountCents));
    }
    if (dispute !== null) {
      this.disputes += 1;
      this.#lines.push(disputeLine(dispute.reference, id, at, dispute.status, this.disputes));
    }
  }

  /** Writes the network's book into its folder, which no network has open. */
  async writeNetwork(folder: string): Promise<void> {
    await mkdir(folder, { recursive: true });
    const lines = [...this.#lines, ...this.#extra];
    const slice = 20_000;
    for (let from = 0; from < lines.length; from += slice) {
      const text = lines
        .slice(from, from + slice)
        .map((line) => `${JSON.stringify(line)}\n`)
        .join('');
      await appendFile(join(folder, 'ledger.jsonl'), text, { mode: 0o600 });
    }
  }

  /** Writes the rows. */
  async writeRows(database: Database): Promise<void> {
    await database.query(
      // Younger than the last night, which else would be compared first.
      `INSERT INTO merchants (id, name, status) VALUES ($1, 'shop', 'active')`,
      [this.merchantId],
    );
    // The service has read all changes of disputes.
    await database.query(
      `INSERT INTO provider_cursors (provider, list, cursor, moved_at) VALUES ('network', 'disputes', $1, now())`,
      [String(this.disputes)],
    );
    const slice = 5_000;
    for (let from = 0; from < this.#made.length; from += slice) {
      await this.#insert(database, this.#made.slice(from, from + slice));
    }
    await database.query('ANALYZE');
  }

  async #insert(database: Database, made: readonly Made[]): Promise<void> {
    const rows = made.map(({ id, at, amountCents, attempt, refund, dispute }) => ({
      id,
      at,
      amount: amountCents,
      attempt,
      refund: refund?.id ?? null,
      refunded: refund?.amountCents ?? 0,
      dispute: dispute?.reference ?? null,
      dispute_id: dispute === null ? null : disputeIdOf(dispute.reference),
    }));
    const input = `json_to_recordset($1) AS m (id uuid, at timestamptz, amount bigint, attempt text, refund uuid,
      refunded bigint, dispute text, dispute_id uuid)`;
    const json = JSON.stringify(rows);
    await database.query(
      `INSERT INTO payments (id, merchant_id, environment, checkout_mode, reference, amount_cents, currency, metadata,
         success_url, cancel_url, offered_methods, locale, checkout_url_sealed, checkout_token_hash, vault_id,
         created_at, expires_at, capture_expires_at, workflow_started_at, status, checkout_status, terminal_reason,
         failure_code, paid_at, finalized_at, method, refunded_cents, refunded_at, check_scheduled)
       SELECT m.id, $2, 'sandbox', 'hosted', 'order', m.amount, 'USD', '{}', 'https://shop.example/s',
         'https://shop.example/c', '{card}', 'en', '\\x00', sha256(m.id::text::bytea), substr(md5(m.id::text), 1, 30),
         m.at, m.at + interval '30 minutes', m.at + interval '30 minutes', m.at,
         CASE WHEN m.attempt = 'voided' THEN 'failed' WHEN m.attempt = 'processing' THEN 'pending'
           WHEN m.dispute IS NOT NULL THEN 'disputed' WHEN m.refund IS NOT NULL THEN 'partiallyRefunded'
           ELSE 'paid' END,
         CASE m.attempt WHEN 'paid' THEN 'paid' WHEN 'voided' THEN 'expired' ELSE 'processing' END,
         CASE m.attempt WHEN 'voided' THEN 'checkout_expired' END,
         CASE m.attempt WHEN 'voided' THEN 'checkout_expired' END,
         CASE m.attempt WHEN 'paid' THEN m.at END, CASE WHEN m.attempt <> 'processing' THEN m.at END, 'card',
         m.refunded, CASE WHEN m.refund IS NOT NULL THEN m.at END, m.attempt = 'processing'
       FROM ${input}`,
      [json, this.merchantId],
    );
    await database.query(
      `INSERT INTO attempts (payment_id, attempt_no, method, status, started_at, claimed_at, resolved_at, captured_at,
         check_scheduled)
       SELECT m.id, 1, 'card', m.attempt, m.at, m.at, CASE WHEN m.attempt <> 'processing' THEN m.at END,
         CASE WHEN m.attempt = 'paid' THEN m.at END, m.attempt = 'processing' FROM ${input}`,
      [json],
    );
    await database.query(
      `INSERT INTO refunds (id, merchant_id, environment, payment_id, amount_cents, status, metadata, created_at,
         submit_after, submitted_at, succeeded_at)
       SELECT m.refund, $2, 'sandbox', m.id, m.refunded, 'succeeded', '{}', m.at, m.at, m.at, m.at
       FROM ${input} WHERE m.refund IS NOT NULL`,
      [json, this.merchantId],
    );
    await database.query(
      `INSERT INTO disputes (id, merchant_id, environment, payment_id, provider_reference, amount_cents, reason, stage,
         status, evidence_due_at, created_at)
       SELECT m.dispute_id, $2, 'sandbox', m.id, m.dispute, 1000, 'fraudulent', 'chargeback', 'needsResponse',
         now() + interval '7 days', m.at FROM ${input} WHERE m.dispute IS NOT NULL`,
      [json, this.merchantId],
    );
  }
}
