import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { z } from 'zod';
import { countAtNetwork } from './listed-counts.ts';
import type { Observations } from './observations.ts';
import { bareEnvironment } from './programs.ts';
import {
  type Counts,
  type Reconciled,
  checkReconciliation,
  plantedDifferences,
} from './reconciliation-checks.ts';
import type { Stack } from './stack.ts';
import type { Violation } from './violation.ts';

/**
 * How long a reconciliation may take, in s. A difference is checked again after 10.5 s, and a busy machine is
 * slow.
 */
const waitSeconds = 90;

const answer = z.object({
  complete: z.boolean(),
  problem: z.string().optional(),
  compared: z.object({ charges: z.number(), refunds: z.number(), disputes: z.number() }),
  differences: z.array(
    z.object({ kind: z.string(), paymentId: z.string().nullable(), action: z.string() }).loose(),
  ),
});

/** The reconciliation that followed a schedule. */
export interface Reconciliation {
  /** The answers, in order: a second one follows if the first one healed something. */
  answers: Reconciled[];
  /** What the network had then. */
  there: Counts;
  healed: number;
  expected: number;
  violations: Violation[];
}

/**
 * Runs the operator's reconciliation over the payments since `since`, and checks what it found (I33). When it
 * heals differences, a second one must find what is left, and heal nothing.
 */
export async function reconcile(
  stack: Stack,
  dist: string,
  since: Date,
  look: () => Promise<Observations>,
): Promise<Reconciliation> {
  const span = { from: since, to: new Date() };
  const first = await reconcileSpan(stack, dist, span);
  const healed = first.differences.filter(({ action }) => action === 'healed').length;
  const answers = healed === 0 ? [first] : [first, await reconcileSpan(stack, dist, span)];
  const observations = await look();
  const there = await countAtNetwork(stack, observations, since);
  const violations: Violation[] = [];
  checkReconciliation(observations, answers.at(-1) ?? first, there, (invariant, paymentId, detail) =>
    violations.push({ invariant, paymentId, detail }),
  );
  return { answers, there, healed, expected: plantedDifferences(observations).length, violations };
}

/** Runs the command of the build. A command that fails is a reconciliation that is not complete. */
function reconcileSpan(
  { merchantId, databaseUrl }: Stack,
  dist: string,
  { from, to }: { from: Date; to: Date },
): Promise<Reconciled> {
  const args = [
    ...[join(dist, 'src', 'cli', 'admin.js'), 'reconcile', 'run', '--json', '--wait', String(waitSeconds)],
    ...['--merchant', merchantId, '--environment', 'sandbox'],
    ...['--from', from.toISOString(), '--to', to.toISOString()],
  ];
  const env = { ...bareEnvironment, DATABASE_URL: databaseUrl };
  return new Promise((resolve) => {
    // Its exit code is not 0 when it found differences. They are in its answer.
    execFile(process.execPath, args, { env }, (_error, stdout, stderr) => {
      resolve(readAnswer(stdout) ?? { ...noAnswer, problem: (stderr || stdout).slice(0, 500) });
    });
  });
}

const noAnswer: Reconciled = {
  complete: false,
  compared: { charges: 0, refunds: 0, disputes: 0 },
  differences: [],
};

/** Returns the answer that was printed, or null when none was. */
function readAnswer(text: string): Reconciled | null {
  try {
    return answer.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
