import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withClient } from '../../local-stack/postgres.ts';
import type { StackDescription } from '../../local-stack/session.ts';
import { entriesOf } from '../bench/stack.ts';

/** An answer of `admin deploy`: its exit code, its line on stderr and its object. */
export interface Answered {
  status: number;
  line: string;
  answer: Record<string, unknown>;
}
export type Admin = (...words: string[]) => Promise<Answered>;

interface Forced {
  stack: StackDescription;
  dataDir: string;
  admin: Admin;
  report: (title: string, isTrue: boolean, seen?: unknown) => void;
}

/** A bundle that cannot continue what is open is named by `replay`, and promoted with `--force` alone. */
export async function judgeForce({ stack, dataDir, admin, report }: Forced): Promise<void> {
  const broken = join(dataDir, 'broken-bundle.js');
  const bundle = readFileSync(join(dirname(entriesOf().worker), '../workflow-bundle.js'), 'utf8');
  // Other names of workflows: no run finds its own.
  writeFileSync(broken, bundle.replaceAll('refundWorkflow', 'otherWorkflow'));
  const replayed = await admin('replay', '--bundle', broken);
  const failing = (replayed.answer['failing'] ?? []) as { type: string }[];
  const isNamed = failing.some(({ type }) => type === 'refundWorkflow');
  report('replay names runs that cannot continue (exit code 3)', replayed.status === 3 && isNamed);
  const refused = await admin('promote', '--build', 'b', '--bundle', broken);
  report('promotes no build with another bundle', refused.status !== 0, refused.line);
  const forced = await admin('promote', '--build', 'b', '--bundle', broken, '--force');
  const alerts = await withClient(stack.databaseUrl, async (client) => {
    const { rows } = await client.query(
      "select from operator_alerts where sweep = 'deploys' and subject = 'b' and detail = 'forced'",
    );
    return rows.length;
  });
  report('--force promotes it, and leaves an alert', forced.answer['forced'] === true && alerts === 1);
  await admin('rollback');
}
