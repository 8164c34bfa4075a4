import { Gauge, Registry } from 'prom-client';

/** Figures of the whole system that concern one environment. */
export interface EnvironmentFigures {
  environment: string;
  unknownAttempts: number;
  oldestUnknownSeconds: number;
  overduePayments: number;
}

export interface DeliveryFigures {
  environment: string;
  deliveriesWaiting: number;
  oldestDeliverySeconds: number;
}

/** The number of open operator alerts of one kind, named after the check that raised them. */
export interface AlertFigure {
  kind: string;
  open: number;
}

/** The results of reconciliations. */
export interface ReconciliationFigures {
  /** Differences that need attention, by kind. */
  differences: readonly { kind: string; open: number }[];
  /** The oldest last success among the merchants, in seconds since the epoch; null: there was no run. */
  lastSuccessSeconds: number | null;
}

/** The figures that this process may show now; null if it does not lead, or has read none recently enough. */
export interface SystemFigures {
  payments: () => { environments: readonly EnvironmentFigures[]; alerts: readonly AlertFigure[] } | null;
  deliveries: () => readonly DeliveryFigures[] | null;
  reconciliations: () => ReconciliationFigures | null;
}

/** The maximum number of alert kinds that are shown, because their names come from rows. */
const maxKinds = 40;

/**
 * Returns the gauges of the whole system. They are empty unless this process leads, so that the sum over all
 * processes is right.
 */
export function createSystemGauges(figures: SystemFigures): Registry {
  const registry = new Registry();
  const add = <Row>(
    name: string,
    help: string,
    label: 'environment' | 'kind',
    rows: () => readonly Row[],
    each: (row: Row) => [label: string, value: number],
  ): void => {
    const gauge: Gauge = new Gauge({
      name: `card_payments_${name}`,
      help,
      labelNames: [label],
      registers: [registry],
      collect: () => {
        gauge.reset();
        for (const row of rows()) {
          const [value, amount] = each(row);
          gauge.set({ [label]: value }, amount);
        }
      },
    });
  };
  const payments = () => figures.payments()?.environments ?? [];
  const deliveries = () => figures.deliveries() ?? [];
  const byEnvironment = <Row extends { environment: string }>(value: (row: Row) => number) => {
    return (row: Row): [string, number] => [row.environment, value(row)];
  };
  add(
    'unknown_attempts',
    'Attempts whose outcome is unknown, in the whole system',
    'environment',
    payments,
    byEnvironment((row) => row.unknownAttempts),
  );
  add(
    'oldest_unknown_seconds',
    'Since when the oldest of them is unknown; 0: there is none',
    'environment',
    payments,
    byEnvironment((row) => row.oldestUnknownSeconds),
  );
  add(
    'overdue_payments',
    'Payments that are not finalized 30 s after their deadline, in the whole system',
    'environment',
    payments,
    byEnvironment((row) => row.overduePayments),
  );
  add(
    'deliveries_waiting',
    'Webhook deliveries whose next try is due, in the whole system',
    'environment',
    deliveries,
    byEnvironment((row) => row.deliveriesWaiting),
  );
  add(
    'oldest_delivery_seconds',
    'Since when the oldest of them is due; 0: there is none',
    'environment',
    deliveries,
    byEnvironment((row) => row.oldestDeliverySeconds),
  );
  add(
    'operator_alerts',
    'Open operator alerts, in the whole system',
    'kind',
    () => (figures.payments()?.alerts ?? []).slice(0, maxKinds),
    (row) => [row.kind, row.open],
  );
  add(
    'reconciliation_differences',
    'Differences between providers and rows that need attention, in the whole system',
    'kind',
    () => figures.reconciliations()?.differences ?? [],
    (row) => [row.kind, row.open],
  );
  const lastSuccess: Gauge = new Gauge({
    name: 'card_payments_reconciliation_last_success_timestamp_seconds',
    help: 'When the last complete nightly reconciliation ended, of the merchant where that is longest ago',
    registers: [registry],
    collect: () => {
      lastSuccess.remove();
      const seconds = figures.reconciliations()?.lastSuccessSeconds ?? null;
      if (seconds !== null) lastSuccess.set(seconds);
    },
  });
  return registry;
}
