import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import type { Idle } from '../meter.ts';
import { type Role, roles } from '../processor-time.ts';
import { frequencies } from '../statements.ts';

/** The cost of one second without requests. */
export interface IdleFigures {
  name: string;
  /** Share of one core, in percent, by role. */
  corePercent: Record<Role, number> | null;
  statementsPerSecond: number;
  temporalStatementsPerSecond: number | null;
  writesPerSecond: number;
  walKibPerSecond: number;
  /** Workflow runs that began during the measurement. */
  workflowsStarted: number;
  /** The service's statements by frequency; only shown with --json. */
  statements: { user: string; text: string; perSecond: number }[];
}

export async function watchIdle(
  { meter, stack, options, signal }: Pick<Bench, 'meter' | 'stack' | 'options' | 'signal'>,
  name: string,
): Promise<IdleFigures> {
  await meter.untilAtRest();
  await sleep(options.sizes.settleSeconds * 1000, undefined, { signal });
  const since = new Date().toISOString();
  const [startedAt, before] = [performance.now(), await stack.counter.readTexts()];
  const idle = await meter.watchIdle(options.sizes.idleSeconds);
  const after = await stack.counter.readTexts();
  const seconds = (performance.now() - startedAt) / 1000;
  const { count } = await stack.temporal.workflow.count(`StartTime >= "${since}"`);
  return {
    name,
    corePercent: percentages(idle),
    statementsPerSecond: idle.counts.statements,
    temporalStatementsPerSecond: options.temporal === 'server' ? idle.counts.temporalStatements : null,
    writesPerSecond: idle.counts.writes,
    walKibPerSecond: idle.counts.walBytes / 1024,
    workflowsStarted: count,
    statements: frequencies(before, after, seconds),
  };
}

function percentages({ spent }: Idle): Record<Role, number> | null {
  if (spent === undefined) return null;
  return Object.fromEntries(roles.map((role) => [role, spent[role] / 10])) as Record<Role, number>;
}
