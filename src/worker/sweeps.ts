import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { ClockWatch } from '../db/server/clock-watch.ts';
import { createLostAttempts } from '../activities/restore-attempts.ts';
import type { Tenant } from '../db/payments/payments.ts';
import type { Database } from '../db/server/database.ts';
import type { DatabaseClock } from '../db/server/database-clock.ts';
import type { Retention } from '../db/server/leftovers.ts';
import { assets } from '../checkout-page/assets.ts';
import { createLeaderLock } from '../db/server/leader-lock.ts';
import type { Keyring } from '../crypto/keyring.ts';
import { sealContext } from '../crypto/seal-contexts.ts';
import { sendMails } from '../mail/send-mails.ts';
import { dashboardUrl, type Settings } from '../runtime/settings.ts';
import { type SweepAlerts, createSweepAlerts } from '../sweeps/alerts.ts';
import { createLeaderRegistry } from '../sweeps/leader-registry.ts';
import { sweepHealedTotal } from '../metrics/series.ts';
import type { SystemFigures } from '../metrics/system-figures.ts';
import { createFigureSweeps } from '../sweeps/read-figures.ts';
import { createDueCheck } from '../sweeps/due-check.ts';
import { createLostRows } from '../sweeps/lost-rows.ts';
import { runSweeps } from '../sweeps/run-sweeps.ts';
import type { Sweep } from '../sweeps/sweep.ts';
import { createAbandonedBuildSweep } from '../sweeps/sweep-abandoned-builds.ts';
import { createArchiveSweep } from '../sweeps/sweep-archive.ts';
import { openAuditSink } from '../sweeps/audit-sink.ts';
import { createAuditCopySweep } from '../sweeps/sweep-audit-copies.ts';
import { createCapturedCardSweep } from '../sweeps/sweep-captured-cards.ts';
import { createCaptureSweep } from '../sweeps/sweep-captures.ts';
import { createDeliverySweep } from '../sweeps/sweep-deliveries.ts';
import { createDisputeSweep } from '../sweeps/sweep-disputes.ts';
import { createEventSealSweep } from '../sweeps/sweep-event-seals.ts';
import { createAgedRowSweep, createLeftoverSweep } from '../sweeps/sweep-leftovers.ts';
import { createMailCollectionSweep, createMailSweep } from '../sweeps/sweep-mail.ts';
import { createPartitionSweep } from '../sweeps/sweep-partitions.ts';
import { createPaymentPageSweep } from '../sweeps/sweep-payment-page.ts';
import { createPaymentSweep } from '../sweeps/sweep-payments.ts';
import { createProviderRefundSweep } from '../sweeps/sweep-provider-refunds.ts';
import { createReconciliationSweep } from '../sweeps/sweep-reconciliations.ts';
import { createRefundSweep } from '../sweeps/sweep-refunds.ts';
import { createRestoredRowSweep } from '../sweeps/sweep-restored-rows.ts';
import { createClosedAttemptSweep } from '../sweeps/sweep-closed-attempts.ts';
import type { WorkflowClientDeps } from '../temporal/clients/calls.ts';
import type { Deployments } from '../temporal/clients/deployments.ts';
import { createDisputeWorkflows } from '../temporal/clients/disputes.ts';
import { createPaymentRuns } from '../temporal/clients/payment-runs.ts';
import { createKnownRuns } from '../temporal/clients/known-runs.ts';
import { createRunProgressReader } from '../temporal/clients/run-progress.ts';
import { createReconciliationWorkflows } from '../temporal/clients/reconciliation.ts';
import { createRefundWorkflows } from '../temporal/clients/refunds.ts';
import type { DeliveryStarter } from '../webhooks/delivery-starter.ts';
import { sealEvents } from '../webhooks/event-seals.ts';
import type { ProviderChecks } from './provider-activities.ts';
import { watchedFrames } from './watched-frames.ts';

/**
 * Runs the sweeps of WORKER_ROLES in this process while it leads them. Also returns the figures of the whole
 * system that this process may show. ADR 0015, 0048.
 */
export function composeSweeps(deps: {
  settings: Settings;
  database: Database;
  keyring: Keyring;
  client: Client;
  deployments: Deployments;
  provider: ProviderChecks;
  starter: DeliveryStarter;
  clock: DatabaseClock;
  clockWatch: Pick<ClockWatch, 'isRight'>;
  /** This process, as operators see it. */
  process: string;
  logger: Logger;
}): { stop: () => Promise<void>; figures: SystemFigures } {
  const { settings, database, client, provider, logger, clock } = deps;
  const { now } = clock;
  const queuePrefix = settings.TASK_QUEUE_PREFIX;
  const temporal = { client, queuePrefix, now };
  const alerts = createSweepAlerts({ database, logger, now });
  const common = { database, alerts, now, everyMs: settings.SWEEP_SECONDS * 1_000 };
  const retention = retentionOf(settings);
  const sweeps: Sweep[] = [
    createPaymentSweep({
      ...common,
      connectors: provider.connectors,
      runs: createPaymentRuns(temporal),
      lostRows: createLostRows({
        database,
        readProgress: createRunProgressReader(temporal),
        attempts: createLostAttempts({ database, connectors: provider.connectors }),
      }),
      onHealed: (paymentId, reason) => {
        sweepHealedTotal.inc({ sweep: 'payments' });
        logger.warn({ paymentId, hole: reason }, 'the sweeper healed a payment');
      },
      onNewTimeline: (before, timeline) =>
        logger.error(
          { before, timeline },
          'PostgreSQL was promoted or restored: all open payments are checked',
        ),
    }),
    restoredRows({ database, temporal, now, logger }),
    createLeftoverSweep(common),
    createAgedRowSweep({ ...common, retention }),
    createPartitionSweep({ database, now, retention, logger }),
    createCaptureSweep({ ...common, vault: provider.captures }),
    createCapturedCardSweep({ ...common, connectors: provider.connectors }),
    createRefundSweep({
      ...common,
      workflows: createRefundWorkflows(temporal),
      network: provider.refunds,
    }),
    createProviderRefundSweep({
      ...common,
      connectors: provider.connectors,
      network: provider.providerRefunds,
    }),
    createClosedAttemptSweep({ ...common, network: provider.reportedCaptures }),
    createDisputeSweep({
      ...common,
      connectors: provider.connectors,
      workflows: createDisputeWorkflows(temporal),
    }),
    reconciliations({ ...common, connectors: provider.connectors, temporal, at: settings.RECONCILE_AT }),
    createDeliverySweep({ ...common, starter: deps.starter }),
    createAbandonedBuildSweep({ database, deployments: deps.deployments, logger }),
    ...chains({ ...common, settings, keyring: deps.keyring, logger }),
    ...mails({ ...common, settings, keyring: deps.keyring, logger }),
    ...archive(settings.ARCHIVE_AFTER_MONTHS, { database, logger }),
    ...paymentPage({ ...common, settings, keyring: deps.keyring, logger }),
  ];
  const figures = createFigureSweeps({ database, kinds: sweeps.map(({ name }) => name) });
  const registry = createLeaderRegistry({
    database,
    roles: settings.WORKER_ROLES,
    process: deps.process,
    logger,
  });
  const { stop } = runSweeps({
    sweeps: [...sweeps, ...figures.sweeps].filter(({ role }) => settings.WORKER_ROLES.includes(role)),
    lock: createLeaderLock(
      {
        url: settings.DATABASE_URL,
        pooler: settings.DATABASE_POOLER,
        applicationName: 'card-payments-sweeps',
      },
      settings.WORKER_ROLES,
      (error) => logger.warn({ err: error }, 'leads no sweeps until PostgreSQL answers again'),
      (role) => registry.takeTerm(role),
    ),
    alerts,
    registry,
    checkDue: createDueCheck(clock, logger),
    mayLead: () => deps.clockWatch.isRight(),
    logger,
  });
  return { stop, figures: figures.figures };
}

const retentionOf = (settings: Settings): Retention => ({
  eventsDays: settings.RETENTION_EVENTS_DAYS,
  requestsDays: settings.RETENTION_REQUESTS_DAYS,
});

/** Returns the sweeps that seal the event log and copy the audit log. ADR 0065 and 0066. */
function chains(deps: {
  settings: Settings;
  database: Database;
  keyring: Keyring;
  everyMs: number;
  logger: Logger;
}): Sweep[] {
  const { AUDIT_SINK, AUDIT_SINK_TOKEN } = deps.settings;
  const sink = AUDIT_SINK === undefined ? null : openAuditSink(AUDIT_SINK, AUDIT_SINK_TOKEN);
  return [
    createEventSealSweep({ ...deps, seal: (tenant) => sealEvents(deps, tenant) }),
    createAuditCopySweep({ ...deps, sink }),
  ];
}

/** The dependencies of sweeps that read sealed values. */
interface SealedSweepDeps {
  settings: Settings;
  database: Database;
  keyring: Keyring;
  alerts: SweepAlerts;
  logger: Logger;
}

/** Returns the sweeps that collect mails from the event log and send them through mail servers. ADR 0049. */
function mails(deps: SealedSweepDeps): Sweep[] {
  const { settings, database, keyring, alerts, logger } = deps;
  const mailing = {
    database,
    keyring,
    connect: { rules: { allowLoopback: settings.DEPLOYMENT === 'development' } },
    dashboardUrl: dashboardUrl(settings),
  };
  const send = (tenant: Tenant, going: () => boolean) => sendMails(mailing, tenant, going);
  const mail = { database, alerts, logger, send };
  return [createMailCollectionSweep({ database }), createMailSweep(mail, false), createMailSweep(mail, true)];
}

/** Returns the sweep that archives payments, if a setting asks for it. ADR 0078. */
const archive = (
  months: number | undefined,
  deps: Omit<Parameters<typeof createArchiveSweep>[0], 'months'>,
): Sweep[] => (months === undefined ? [] : [createArchiveSweep({ ...deps, months })]);

/** Returns the payment page's watch: hourly in production, where PUBLIC_URL is the customers'. ADR 0077. */
function paymentPage(deps: SealedSweepDeps): Sweep[] {
  const { settings, keyring } = deps;
  const { PAGE_WATCH_SECONDS: seconds = settings.DEPLOYMENT === 'production' ? 3600 : 0 } = settings;
  if (seconds === 0) return [];
  const sweep = createPaymentPageSweep({
    ...deps,
    publicUrl: settings.PUBLIC_URL,
    script: assets.script,
    frames: watchedFrames(settings),
    openUrl: (sealed, paymentId) =>
      (JSON.parse(keyring.open(sealed, sealContext.checkoutUrl(paymentId))) as { url: string }).url,
    everyMs: seconds * 1_000,
  });
  return [sweep];
}

const reconciliations = ({
  temporal,
  ...deps
}: Omit<Parameters<typeof createReconciliationSweep>[0], 'workflows'> & {
  temporal: WorkflowClientDeps;
}): Sweep => createReconciliationSweep({ ...deps, workflows: createReconciliationWorkflows(temporal) });

const restoredRows = ({
  temporal,
  logger,
  ...deps
}: {
  database: Database;
  temporal: WorkflowClientDeps;
  now: () => number;
  logger: Logger;
}): Sweep =>
  createRestoredRowSweep({
    ...deps,
    runs: createKnownRuns(temporal),
    onRowsMissing: (missing) =>
      logger.error(
        missing,
        'rows are missing that Temporal knows: writes are held until admin restore finish',
      ),
  });
