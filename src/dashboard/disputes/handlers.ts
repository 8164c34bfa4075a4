import { uuidv7 } from 'uuidv7';
import { DisputesPage } from './list-page.tsx';
import { type DisputeFilesDeps, disputeFileRoutes } from './file-handlers.ts';
import { disputeAnswers, DisputePage } from './page.tsx';
import { disputeColumns, findDispute } from '../../db/disputes/dispute-reads.ts';
import { listAttempts } from '../../db/payments/attempts.ts';
import { listDisputeFiles } from '../../db/disputes/dispute-files.ts';
import { findPayment, paymentReferences } from '../../db/payments/payments.ts';
import { jsonHoldsCardNumber } from '../../domain/card-number.ts';
import { type DisputeRecord, disputeStatuses } from '../../domain/dispute.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { type AnswerDisputeDeps, answerDispute } from '../../operations/disputes/answer-dispute.ts';
import { readTimeline, type TimelineDeps } from '../../operations/payments/timeline.ts';
import { stageEvidence } from '../../operations/disputes/stage-evidence.ts';
import { storyForNetwork } from './payment-facts.ts';
import { money } from '../parts/format.ts';
import { CsvLink } from '../parts/list.tsx';
import { choiceOf } from '../parts/paging.ts';
import { listNewsRoute, readList, sendListCsv, type SortedList } from '../parts/sorted-list.ts';
import { catchRefusal, formError, type FormError } from '../parts/form-error.ts';
import { texts } from '../texts/en.ts';
import type { DashboardRoute } from '../route.ts';
import { redirectTo, sendPage, type Visit } from '../visit.ts';

interface ListDeps {
  lists: TenantReads;
}

const disputeList: SortedList = {
  list: 'disputes',
  columns: disputeColumns,
  statuses: disputeStatuses,
  first: 'due',
  csvColumns: [
    'id',
    'paymentId',
    'status',
    'stage',
    'reason',
    'amountCents',
    'resolution',
    'createdAt',
    'evidenceDueAt',
    'submittedAt',
    'closedAt',
    'environment',
  ],
};

/** GET /disputes: those that need a response first, by deadline; then the others, newest first. */
async function list({ lists }: ListDeps, visit: Visit) {
  const { tenant } = visit;
  const { rows, notice, csv, ...found } = await readList(lists, visit, disputeList);
  const disputes = rows as DisputeRecord[];
  const references = await lists.read(tenant, (database) =>
    paymentReferences(
      database,
      tenant,
      disputes.map(({ paymentId }) => paymentId),
    ),
  );
  const aside = CsvLink({ href: csv });
  return sendPage(visit, { title: texts.disputes.title, section: 'disputes', notice, aside }, (frame) =>
    DisputesPage({ frame, disputes, references, ...found }),
  );
}

type ShowDeps = TimelineDeps;

const idOf = ({ params }: Visit): string => (params['id'] ?? '').toLowerCase();

/** GET /disputes/{id}. `typed`: evidence that was rejected, to be corrected. */
async function show(
  deps: ShowDeps,
  visit: Visit,
  more: { why?: FormError; typed?: { evidence: Record<string, string>; autoSubmit: boolean } } = {},
) {
  const { tenant } = visit;
  const { why, typed = null } = more;
  const { dispute, payment, attempts, files } = await deps.tenants.read(tenant, async (database) => {
    const found = await findDispute(database, tenant, idOf(visit));
    return {
      dispute: found,
      payment: found === null ? null : await findPayment(database, tenant, found.paymentId),
      attempts: found === null ? [] : await listAttempts(database, found.paymentId),
      files: found === null ? [] : await listDisputeFiles(database, tenant, found.id),
    };
  });
  if (!dispute || !payment) throw new Refusal('not_found');
  const timeline =
    dispute.status === 'needsResponse' ? await readTimeline(deps, tenant, payment.id, null, false) : null;
  const answering = choiceOf(visit, 'answer', disputeAnswers);
  return sendPage(
    visit,
    {
      title: texts.disputes.pageTitle(money(dispute.amountCents), payment.reference),
      section: 'disputes',
      back: { href: `${visit.frame.base}/disputes`, label: texts.disputes.title },
      ...why,
    },
    (frame) =>
      DisputePage({
        frame,
        data: {
          dispute,
          payment,
          files,
          authenticated: attempts.some(
            ({ status, actionKind }) => status === 'paid' && actionKind === 'threeDS',
          ),
          story: storyForNetwork({
            ...{ payment, attempts, refunds: [], refundMembers: {}, linkId: null },
            ...{ endpointUrls: {}, deliveries: [], entries: timeline?.entries.toReversed() ?? [] },
          }),
          typed,
          answerKey: `dashboard-${uuidv7()}`,
          confirming:
            answering === '' || (answering === 'submit' && Object.keys(dispute.evidence).length === 0)
              ? null
              : answering,
        },
      }),
  );
}

/**
 * POST /disputes/{id}/evidence: saves the draft; texts that were emptied are removed from it. With `then`,
 * the page asks next whether to submit it.
 */
async function stage(deps: ShowDeps, visit: Visit) {
  const fields = [...visit.form].filter(([name, text]) => name.startsWith('evidence.') && text.trim() !== '');
  const evidence = Object.fromEntries(
    fields.map(([name, text]) => [name.slice('evidence.'.length), text.replaceAll('\r\n', '\n')]),
  );
  const autoSubmit = visit.form.get('autoSubmit') === 'on';
  if (jsonHoldsCardNumber(evidence)) {
    const why = formError(texts.disputes.evidenceHoldsCard);
    return show(deps, visit, { why, typed: { evidence, autoSubmit } });
  }
  const submits = visit.form.get('then') === 'submit';
  if (submits && fields.length === 0) {
    const why = formError(texts.disputes.nothingToSubmit);
    return show(deps, visit, { why, typed: { evidence, autoSubmit } });
  }
  const done = await catchRefusal(() =>
    stageEvidence(deps, visit.tenant, idOf(visit), { evidence, autoSubmit }, visit.actor),
  );
  if (!done.ok) return show(deps, visit, { why: done, typed: { evidence, autoSubmit } });
  return submits
    ? redirectTo(visit, `/disputes/${idOf(visit)}?answer=submit#asking`)
    : redirectTo(visit, `/disputes/${idOf(visit)}`, 'staged');
}

/** POST /disputes/{id}/submit and /accept: sends the final answer, once per form. */
async function answer(
  deps: ShowDeps & AnswerDisputeDeps,
  visit: Visit,
  kind: 'submit' | 'accept',
): Promise<unknown> {
  const sent = visit.form.get('key') ?? '';
  const key = /^dashboard-[0-9a-f-]{36}$/.test(sent) ? sent : `dashboard-${uuidv7()}`;
  const command = { id: idOf(visit), answer: kind, key };
  const done = await catchRefusal(() => answerDispute(deps, visit.tenant, command, visit.actor));
  if (!done.ok) return show(deps, visit, { why: done });
  return redirectTo(visit, `/disputes/${idOf(visit)}`, kind === 'submit' ? 'submitted' : 'accepted');
}

export type DisputesDeps = ShowDeps & AnswerDisputeDeps & ListDeps & DisputeFilesDeps;

export const disputeRoutes = (deps: DisputesDeps): readonly DashboardRoute[] => [
  { method: 'GET', path: '/disputes', permission: 'read', handle: (visit) => list(deps, visit) },
  {
    method: 'GET',
    path: '/disputes.csv',
    permission: 'read',
    handle: (visit) => sendListCsv(deps.lists, visit, disputeList),
  },
  listNewsRoute(deps, disputeList),
  {
    method: 'GET',
    path: '/disputes/:id',
    permission: 'read',
    owns: 'dispute',
    handle: (visit) => show(deps, visit),
  },
  {
    method: 'POST',
    path: '/disputes/:id/evidence',
    permission: 'dispute',
    owns: 'dispute',
    takesLong: true,
    handle: (visit) => stage(deps, visit),
  },
  ...disputeFileRoutes(deps, (visit, why) => show(deps, visit, { why })),
  {
    method: 'POST',
    path: '/disputes/:id/submit',
    permission: 'dispute',
    owns: 'dispute',
    handle: (visit) => answer(deps, visit, 'submit'),
  },
  {
    method: 'POST',
    path: '/disputes/:id/accept',
    permission: 'dispute',
    owns: 'dispute',
    handle: (visit) => answer(deps, visit, 'accept'),
  },
];
