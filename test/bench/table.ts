import { type Figures, isDisturbed } from './figures.ts';
import type { IdleFigures } from './sections/idle.ts';
import type { SteadyFigures } from './sections/steady.ts';

type Cell = string;

const columns: readonly { title: string; of: (figures: Figures) => Cell }[] = [
  { title: 'step', of: ({ section, name }) => `${section}: ${name}` },
  { title: 'callers', of: ({ callers }) => (callers === null ? '–' : String(callers)) },
  { title: 'calls', of: ({ calls }) => String(calls) },
  { title: 'failed', of: ({ outcomes }) => failed(outcomes) },
  { title: 'cpu ms', of: ({ processorMs }) => short(processorMs?.sum) },
  { title: 'floor', of: ({ floor }) => floor ?? '' },
  { title: 'x cpu', of: (figures) => verdict(figures, figures.ratio?.processorTime) },
  { title: 'x /s', of: (figures) => verdict(figures, figures.ratio?.perSecond) },
  { title: 'api', of: ({ processorMs }) => short(processorMs?.api) },
  { title: 'worker', of: ({ processorMs }) => short(processorMs?.worker) },
  { title: 'temporal', of: ({ processorMs }) => short(processorMs?.temporal) },
  { title: 'its pg', of: ({ processorMs }) => short(processorMs?.temporalPostgres) },
  { title: 'own pg', of: ({ processorMs }) => short(processorMs?.postgres) },
  { title: 'sims', of: ({ processorMs }) => short(processorMs?.simulators) },
  { title: 'hooks', of: ({ deliveries }) => short(deliveries) },
  { title: 'others %', of: ({ othersShare }) => short(othersShare === null ? null : othersShare * 100) },
  { title: '/s', of: ({ perSecond }) => short(perSecond) },
  { title: '/s to rest', of: ({ perSecondToRest }) => short(perSecondToRest) },
  { title: 'p50 ms', of: ({ latencyMs }) => short(latencyMs.p50) },
  { title: 'p95', of: ({ latencyMs }) => short(latencyMs.p95) },
  { title: 'p99', of: ({ latencyMs }) => short(latencyMs.p99) },
  { title: 'stmts', of: ({ statements }) => short(statements) },
  { title: 'writes', of: ({ writes }) => short(writes) },
  { title: 'T stmts', of: ({ temporalStatements }) => short(temporalStatements) },
  { title: 'T events', of: ({ temporalEvents }) => short(temporalEvents) },
];

/** Returns a ratio to the floor, or `busy` when other processes used too much of the machine. */
function verdict(figures: Figures, ratio: number | null | undefined): Cell {
  if (isDisturbed(figures)) return 'busy';
  return ratio ? ratio.toFixed(2) : '';
}

/** Returns three significant digits, or `–` for an unknown value. */
export function short(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 100) return String(Math.round(value));
  return String(Number(value.toPrecision(value < 0.1 ? 1 : 3)));
}

/** Returns `0`, or the unwanted answers and how often they came. */
export function failed(outcomes: Readonly<Record<string, number>>): string {
  const bad = Object.entries(outcomes).filter(([outcome]) => outcome !== 'ok');
  return bad.length === 0 ? '0' : bad.map(([outcome, count]) => `${count} x ${outcome}`).join(', ');
}

/** Returns a Markdown table, in columns that line up. */
export function tableOf(all: readonly Figures[]): string {
  return aligned([
    columns.map(({ title }) => title),
    ...all.map((figures) => columns.map(({ of }) => of(figures))),
  ]);
}

/** Returns a Markdown table of the costs of idling. */
export function idleTable(all: readonly IdleFigures[]): string {
  return aligned([
    ['idle', '% of a core', 'of it', 'stmts/s', 'T stmts/s', 'writes/s', 'WAL KiB/s', 'workflows begun'],
    ...all.map((idle) => [
      idle.name,
      short(idle.corePercent && Object.values(idle.corePercent).reduce((sum, share) => sum + share, 0)),
      Object.entries(idle.corePercent ?? {})
        .map(([role, share]) => `${role} ${short(share)}`)
        .join(', '),
      short(idle.statementsPerSecond),
      short(idle.temporalStatementsPerSecond),
      short(idle.writesPerSecond),
      short(idle.walKibPerSecond),
      String(idle.workflowsStarted),
    ]),
  ]);
}

/** Returns a Markdown table of what the database and the processes held after each window. */
export function steadyTable(all: readonly SteadyFigures[]): string {
  return aligned([
    ['after', 'payments', 'database MiB', 'KiB each', 'dead %', 'autovacuums', 'most dead', 'resident MiB'],
    ...all.map((held) => [
      held.name,
      ...[held.payments, held.databaseMib, held.kibPerPayment, held.deadPercent, held.autovacuums].map(
        String,
      ),
      held.mostDead,
      held.resident,
    ]),
  ]);
}

function aligned(rows: readonly (readonly Cell[])[]): string {
  const [head = [], ...body] = rows;
  const widths = head.map((_title, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly Cell[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}
