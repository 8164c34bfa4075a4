import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Receiver } from '../chaos/receiver.ts';
import { type CapturedCard, type Shop, eventually } from '../deploy/shop.ts';
import { projectRoot } from '../support/harness/project-root.ts';

const challengeCard = '4000000000003220';
/** Declined at the first attempt of a payment, and paid at the second. */
const declinedCard = '4000000000009995';
/** Paid after 5 s; the caller is gone by then. */
const slowCard = '4000000000007304';
/** How long a refund may be canceled before it is submitted: until after the upgrade, in s. */
export const refundDelaySeconds = 45;
/** How long something may take that only has to go on, in ms. */
const usualMs = 30_000;
/** A refund of it is pending at the network for 3 s. */
const slowRefundCard = '4000000000007726';

/** Payments in every state, as a version left them. */
export interface LeftOpen {
  open: { id: string };
  captured: { id: string; card: CapturedCard };
  atStep: string;
  unanswered: string;
  paid: string;
  declined: { id: string; card: CapturedCard };
  refunds: string[];
  refunded: string[];
  disputes: { toAccept: string; toWin: string };
  disputed: string[];
  /** What was answered about everything that is closed, by path. */
  answers: Record<string, unknown>;
  /** Ids of events that the endpoint refused. */
  waiting: string[];
}

/** Makes payments in every state and leaves them there. Deliveries fail meanwhile. */
export async function leaveOpen(shop: Shop, receiver: Receiver, hookUrl: string): Promise<LeftOpen> {
  receiver.failWhen(() => true);
  const { data: endpoint } = await shop.call('POST', '/webhook-endpoints', { url: hookUrl });
  receiver.expectSecret(String(endpoint['secret']));

  const paid = await shop.paid();
  await shop.untilField(`/payments/${paid}`, 'status', 'paid');
  const declined = await shop.withCard(declinedCard);
  await shop.call('POST', `/payments/${declined.id}/pay`, declined.card);
  const open = await shop.withCard();
  const captured = await shop.withCard();
  const atStep = await shop.paid(challengeCard);

  const refunds: string[] = [];
  const refunded: string[] = [];
  for (const number of ['4242424242424242', slowRefundCard]) {
    const id = await shop.paid(number);
    refunded.push(id);
    const { data } = await shop.call('POST', `/payments/${id}/refunds`, { amountCents: 700 });
    refunds.push(String(data['id']));
  }
  const toAccept = await disputed(shop);
  const toWin = await disputed(shop);
  const waiting = await eventually(async () =>
    receiver.received.some(({ body }) => body.includes('dispute.created'))
      ? [...new Set(receiver.received.map(({ id }) => id))]
      : undefined,
  );
  const closed = [`/payments/${paid}`, `/payments/${paid}/checkout`, `/payments/${declined.id}`];
  const answers: LeftOpen['answers'] = {};
  for (const path of [...closed, '/events?after=start&limit=100', '/webhook-endpoints']) {
    const { status, data } = await shop.call('GET', path);
    answers[path] = { status, data };
  }
  // The last call before the stop: its answer is unknown to the version that is stopped.
  const slow = await shop.withCard(slowCard);
  void shop.call('POST', `/payments/${slow.id}/pay`, slow.card).catch(() => {});
  await eventually(async () => ((await shop.charges(slow.id)).length > 0 ? true : undefined));
  return {
    open: { id: open.id },
    captured,
    atStep,
    unanswered: slow.id,
    paid,
    declined,
    refunds,
    refunded,
    disputes: { toAccept: toAccept.dispute, toWin: toWin.dispute },
    disputed: [toAccept.payment, toWin.payment],
    answers,
    waiting,
  };
}

async function disputed(shop: Shop): Promise<{ payment: string; dispute: string }> {
  const payment = await shop.paid();
  await shop.call('POST', `/sandbox/payments/${payment}/disputes`, { reason: 'fraudulent' });
  const dispute = await eventually(async () => {
    const { data } = await shop.call('GET', `/payments/${payment}/disputes`);
    return Object.values(data as Record<string, { id: string }>)[0]?.id;
  });
  return { payment, dispute };
}

type Report = (title: string, isTrue: boolean, seen?: unknown) => void;

/** Reads all that was left, brings it to its end, and reports what is as it must be. */
export async function finish(shop: Shop, receiver: Receiver, left: LeftOpen, report: Report): Promise<void> {
  for (const [path, answered] of Object.entries(left.answers)) {
    const { status, data } = await shop.call('GET', path);
    const isSame = holds({ status, data }, answered);
    report(
      `answers ${path.split('?')[0]?.replaceAll(/[0-9a-f-]{36}/g, 'ID')}`,
      isSame,
      isSame ? '' : { now: data, before: answered },
    );
  }
  // A delivery that succeeds changes what an endpoint's answer says of it.
  receiver.failWhen(() => false);
  const before = receiver.received.length;
  const settles = async (
    title: string,
    path: string,
    field: string,
    value: unknown,
    withinMs = usualMs,
  ): Promise<void> => {
    const isTrue = await shop.untilField(path, field, value, withinMs).catch(() => false);
    report(title, isTrue, isTrue ? '' : (await shop.call('GET', path)).data);
  };
  const isPaid = (title: string, id: string) => settles(title, `/payments/${id}`, 'status', 'paid');

  const pay = await shop.call('POST', `/payments/${left.captured.id}/pay`, left.captured.card);
  report('a pay with the card that was captured before is answered', pay.status === 200, pay.status);
  await isPaid('and its payment is paid', left.captured.id);
  const { data: capture } = await shop.call('POST', `/payments/${left.open.id}/capture`);
  report('an open checkout prepares another capture', 'capture' in capture);
  await isPaid('a charge that was not answered ends as the network has it', left.unanswered);
  await shop.call('POST', `/sandbox/payments/${left.atStep}/challenge`, { result: 'authenticated' });
  await eventually(async () => {
    const { status } = await shop.call('POST', `/payments/${left.atStep}/confirm`, {});
    return status === 503 ? undefined : true;
  });
  await isPaid("a customer's step that was open is confirmed", left.atStep);
  await shop.call('POST', `/payments/${left.declined.id}/pay`, left.declined.card);
  await isPaid('a payment that was declined is paid at its second attempt', left.declined.id);
  for (const [index, id] of left.refunds.entries()) {
    const withinMs = refundDelaySeconds * 1_000 + usualMs;
    await settles(`open refund ${index + 1} succeeds`, `/refunds/${id}`, 'status', 'succeeded', withinMs);
  }
  const { toAccept, toWin } = left.disputes;
  await shop.call('POST', `/disputes/${toAccept}/accept`, {});
  await settles('an open dispute is accepted', `/disputes/${toAccept}`, 'status', 'lost');
  await shop.call('PUT', `/disputes/${toWin}/evidence`, { evidence: { note: 'winning_evidence' } });
  await shop.call('POST', `/disputes/${toWin}/submit`, {});
  await settles('another is answered and won', `/disputes/${toWin}`, 'status', 'won');
  const fresh = await shop.paid();
  await isPaid('a new payment is paid', fresh);

  const arrived = await eventually(async () => {
    const ids = new Set(receiver.received.slice(before).flatMap(({ id, valid }) => (valid ? [id] : [])));
    return left.waiting.every((id) => ids.has(id)) ? ids : undefined;
  }, 90_000).catch(() => new Set<string>());
  const missing = left.waiting.filter((id) => !arrived.has(id));
  report('deliveries that waited arrive, signed', missing.length === 0, `${left.waiting.length} events`);

  const charged = [left.paid, left.captured.id, left.atStep, left.unanswered, left.declined.id, fresh];
  for (const id of [...charged, ...left.refunded, ...left.disputed]) {
    if ((await shop.captured(id)) !== 1) report('is charged once', false, id);
  }
  report('each payment is charged once', true, `${charged.length + 4} payments`);
}

/** Whether all of `known` is in `seen`: later versions may add fields. */
function holds(seen: unknown, known: unknown): boolean {
  if (typeof known !== 'object' || known === null) return isDeepStrictEqual(seen, known);
  if (typeof seen !== 'object' || seen === null) return false;
  return Object.entries(known).every(([name, value]) =>
    holds((seen as Record<string, unknown>)[name], value),
  );
}

/** Names of the migrations of a checkout, without their ending. */
export const migrationsOf = (checkout = projectRoot): string[] =>
  readdirSync(join(checkout, 'src/db/migrations'))
    .filter((name) => name.endsWith('.sql'))
    .map((name) => name.replace(/\.sql$/, ''))
    .toSorted();

/** Lines of a log in which a workflow's history did not replay. */
export const failedReplays = (logFile: string): number =>
  readFileSync(logFile, 'utf8').split('TMPRL1100').length - 1;
