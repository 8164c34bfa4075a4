import type { Command } from 'commander';
import type { Payment, PaymentSearchParams } from '../../../typescript/src/index.ts';
import { type CommonFlags, contextOf, subcommand } from '../command.ts';
import { misused } from '../errors.ts';
import { fieldList, money, printable, table } from '../output.ts';

/** The flags of a search with the parameters that they are sent as. */
const filters = [
  ['--reference <text>', 'reference', 'your reference, whole'],
  ['--email <address>', 'email', 'e-mail address of the customer'],
  ['--customer-name <name>', 'customerName', 'name of the customer'],
  ['--last4 <digits>', 'last4', 'last four digits of the card'],
  ['--status <status>', 'status', 'status, such as paid'],
  ['--checkout-status <status>', 'checkoutStatus', 'status of the checkout, such as open'],
  ['--method <method>', 'method', 'card, wallet or pix'],
  ['--amount-from <cents>', 'amountFrom', 'at least this amount, in cents'],
  ['--amount-to <cents>', 'amountTo', 'at most this amount, in cents'],
  ['--from <time>', 'from', 'created from this day or instant'],
  ['--to <time>', 'to', 'created until this day or instant'],
  ['--cursor <cursor>', 'cursor', 'the next page, as nextCursor of the one before'],
] as const;

const numeric: readonly string[] = ['amountFrom', 'amountTo', 'limit'];

/** `payments find|show|why|timeline`: reads payments. */
export function addPayments(program: Command): void {
  const payments = program.command('payments').description('Find payments and see what happened to them.');
  const find = subcommand(payments, 'find', 'Find payments, newest first.')
    .argument('[text]', 'part of a reference, an e-mail address or a name')
    .option('--limit <count>', 'how many at most', '20');
  for (const [flag, , description] of filters) find.option(flag, description);
  find.action((text: string | undefined, flags: CommonFlags & Record<string, string>) =>
    findPayments(flags, searchOf(text, flags)),
  );
  const ofOne = (name: string, description: string) =>
    subcommand(payments, name, description).argument('<id>', 'id of the payment');
  ofOne('show', 'Show a payment.').action(showPayment);
  ofOne('why', 'Say what a payment waits for, since when, and what happens next.').action(whyPayment);
  ofOne('timeline', 'Show what happened to a payment, oldest first.')
    .option('--requests', 'with the calls of the API that asked for a change')
    .action(timelineOf);
}

function searchOf(text: string | undefined, flags: Record<string, string>): PaymentSearchParams {
  const given = [...filters.map(([, name]) => name), 'limit'].flatMap((name): [string, string | number][] => {
    const value = flags[name];
    if (value === undefined) return [];
    if (!numeric.includes(name)) return [[name, value]];
    if (!/^\d{1,9}$/.test(value)) throw misused(`${name} must be a whole number, not "${value}".`);
    return [[name, Number(value)]];
  });
  return { ...Object.fromEntries(given), ...(text === undefined ? {} : { q: text }) };
}

async function findPayments(flags: CommonFlags, search: PaymentSearchParams): Promise<void> {
  const { cp, output } = contextOf(flags);
  const { data, meta } = await cp.payments.search(search);
  output.result({ data, meta }, () =>
    data.length === 0
      ? 'No payment was found.'
      : table(
          ['ID', 'STATUS', 'AMOUNT', 'REFERENCE', 'CUSTOMER', 'CREATED'],
          data.map((one) => [
            one.id,
            one.status,
            money(one.amountCents, one.currency),
            one.reference,
            one.customer.email ?? one.customer.name ?? '',
            one.createdAt,
          ]),
        ),
  );
}

async function showPayment(id: string, flags: CommonFlags): Promise<void> {
  const { cp, output } = contextOf(flags);
  const payment = await cp.payments.retrieve(id);
  output.result(payment, () => summaryOf(payment));
}

function summaryOf(payment: Payment): string {
  const { amountCents, refundedCents, netCents, currency, customer } = payment;
  return fieldList({
    id: payment.id,
    status: payment.status,
    amount: money(amountCents, currency),
    refunded: refundedCents === 0 ? null : money(refundedCents, currency),
    net: money(netCents, currency),
    reference: payment.reference,
    email: customer.email,
    name: customer.name,
    card: payment.cardLast4 === null ? null : `${payment.cardBrand ?? 'card'} ${payment.cardLast4}`,
    failure: payment.failureCode,
    created: payment.createdAt,
    paid: payment.paidAt,
    expires: payment.expiresAt,
    checkout: payment.checkoutUrl,
    environment: payment.environment,
  });
}

async function whyPayment(id: string, flags: CommonFlags): Promise<void> {
  const { cp, output } = contextOf(flags);
  const { payment, waitingFor } = await cp.payments.timeline(id);
  const { status } = payment;
  output.result({ id: payment.id, status, waitingFor }, () =>
    waitingFor === null
      ? `The payment is ${status} and waits for nothing.`
      : fieldList({
          status,
          'waits for': waitingFor.who,
          since: waitingFor.since,
          until: waitingFor.until,
          next: waitingFor.next,
        }),
  );
}

async function timelineOf(id: string, flags: CommonFlags & { requests?: boolean }): Promise<void> {
  const { cp, output } = contextOf(flags);
  const timeline = await cp.payments.timeline(id, flags.requests === true ? { requests: 'true' } : {});
  output.result(timeline, () =>
    table(
      ['AT', 'KIND', 'WHAT'],
      timeline.entries.map(({ at, kind, title }) => [at, kind, printable(title)]),
    ),
  );
}
