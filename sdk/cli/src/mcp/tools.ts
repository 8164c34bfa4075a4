import { z } from 'zod';
import type { CardPayments, Timeline } from '../../../typescript/src/index.ts';

const paymentId = z.string().describe('Id of the payment');
const cents = z.int().min(0).max(100_000_000);

/** One tool: its purpose, the scopes that it needs, and its function. */
interface Tool {
  title: string;
  description: string;
  needs: readonly string[];
  /** Whether it changes something. `destructive` changes cannot be undone. */
  effect: 'reads' | 'writes' | 'destructive';
  input: z.ZodObject;
  run: (cp: CardPayments, input: never) => Promise<unknown>;
}

/** Returns a tool whose function receives the output of its schema. */
const tool = <Schema extends z.ZodObject>(
  given: Omit<Tool, 'input' | 'run'> & {
    input: Schema;
    run: (cp: CardPayments, input: z.output<Schema>) => Promise<unknown>;
  },
): Tool => given;

/** The checkout URL is a secret of the customer, and no assistant needs it. */
const withoutCheckout = <P extends { checkoutUrl?: unknown }>({ checkoutUrl: _secret, ...payment }: P) =>
  payment;

const readsPayments = { needs: ['payments:read'], effect: 'reads' } as const;

const briefly = ({ payment, waitingFor }: Timeline) => ({
  id: payment.id,
  status: payment.status,
  waitingFor,
});

/** Every tool by its name. docs/cli.md. */
export const tools: Readonly<Record<string, Tool>> = {
  find_payments: tool({
    ...readsPayments,
    title: 'Find payments',
    description:
      'Finds payments, newest first, by parts of a text, reference, e-mail address, card, or status.',
    input: z.object({
      text: z.string().min(3).max(255).optional().describe('Part of a reference, e-mail address or name'),
      reference: z.string().optional().describe('The shop’s reference, whole'),
      email: z.string().optional(),
      last4: z.string().optional().describe('Last four digits of the card'),
      status: z.string().optional().describe('Such as paid, pending, failed'),
      amountFromCents: cents.optional(),
      amountToCents: cents.optional(),
      limit: z.int().min(1).max(50).default(10),
      cursor: z.string().optional().describe('nextCursor of the page before'),
    }),
    run: async (cp, { text, amountFromCents, amountToCents, status, ...rest }) => {
      const query = { ...rest, q: text, amountFrom: amountFromCents, amountTo: amountToCents, status };
      const given = Object.entries(query).filter(([, value]) => value !== undefined);
      const { data, meta } = await cp.payments.search(Object.fromEntries(given));
      return { payments: data.map(withoutCheckout), ...meta };
    },
  }),
  get_payment: tool({
    ...readsPayments,
    title: 'Read a payment',
    description: 'Reads one payment as it is stored.',
    input: z.object({ paymentId }),
    run: async (cp, input) => withoutCheckout(await cp.payments.retrieve(input.paymentId)),
  }),
  explain_payment: tool({
    ...readsPayments,
    title: 'Explain a payment',
    description: 'Returns what happened to a payment, oldest first, and what it waits for.',
    input: z.object({ paymentId }),
    run: async (cp, input) => {
      const timeline = await cp.payments.timeline(input.paymentId);
      return { ...briefly(timeline), entries: timeline.entries };
    },
  }),
  why_pending: tool({
    ...readsPayments,
    title: 'Why a payment is pending',
    description: 'Returns the one party that a payment waits for, since when, and what happens next.',
    input: z.object({ paymentId }),
    run: async (cp, input) => briefly(await cp.payments.timeline(input.paymentId)),
  }),
  draft_evidence: tool({
    needs: ['disputes:write'],
    effect: 'writes',
    title: 'Draft evidence for a dispute',
    description:
      'Adds texts to the staged evidence of a dispute, and returns the dispute. Texts with other names stay. ' +
      'Nothing is submitted: a person does that in the dashboard.',
    input: z.object({
      disputeId: z.string().describe('Id of the dispute'),
      evidence: z.record(z.string(), z.string()).describe('Texts by name, such as shipping'),
    }),
    run: async (cp, { disputeId, evidence }) => {
      const staged = (await cp.disputes.retrieve(disputeId)).evidence ?? {};
      return cp.disputes.stageEvidence(disputeId, { evidence: { ...staged, ...evidence } });
    },
  }),
  create_refund: tool({
    needs: ['refunds:write'],
    effect: 'destructive',
    title: 'Refund a payment',
    description:
      'Refunds a paid payment, in part or whole. Ask the person first. Use one idempotencyKey for one refund: ' +
      'a repetition with the same key refunds nothing more.',
    input: z.object({
      paymentId,
      amountCents: z.int().min(1).max(100_000_000).optional().describe('All that remains unless given'),
      idempotencyKey: z
        .string()
        .regex(/^[!-~]{16,255}$/)
        .describe('16 to 255 visible characters that name this refund, such as refund-order-1001-1'),
    }),
    run: (cp, input) => {
      const { amountCents, idempotencyKey } = input;
      const params = amountCents === undefined ? {} : { amountCents };
      return Promise.resolve(cp.refunds.create(input.paymentId, params, { idempotencyKey }));
    },
  }),
};

/** Whether scopes include all that a tool needs; `write` includes `read`. */
export const allows = (held: 'full' | readonly string[], needs: readonly string[]): boolean =>
  held === 'full' ||
  needs.every((scope) => held.includes(scope) || held.includes(scope.replace(/:read$/, ':write')));
