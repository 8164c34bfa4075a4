import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { decisionsWith, plant, plantedInDecisions } from '../simulation/mutants.mjs';
import { runSeeds } from '../simulation/run.mjs';
import { copyOfDist } from './build-copy.mjs';
import { runSchedules } from './main.mjs';

const lostAnswers = {
  hops: { network: { probability: 0.5, modes: ['executeThenDrop'], delayMs: 0, holdMs: 0 } },
};
const lateRequests = { hops: { network: { probability: 0.6, modes: ['hold'], delayMs: 0, holdMs: 12_000 } } };

/**
 * Mistakes to plant in the compiled service, each with the trouble that its kind of mistake shows under. They exist
 * only in a copy of dist/ that one run of the harness makes for itself.
 */
export const plantedInService = [
  {
    name: 'new provider key per try',
    file: 'src/activities/attempts.js',
    find: '=> `${paymentId}:${attemptNo}`',
    put: '=> `${paymentId}:${attemptNo}:${Math.floor(Math.random() * 1e9)}`',
    forced: lostAnswers,
  },
  {
    name: 'reconcile "not found" = declined',
    file: 'src/activities/attempts.js',
    find: `if (Context.current().info.attempt < lookupsBeforeVoid)
                return unknown;`,
    put: `return { outcome: { status: 'declined', failureCode: 'processing_error', message: 'not found' }, card: null };`,
    forced: lateRequests,
  },
  {
    name: 'an ambiguous end counts as never sent',
    file: 'src/providers/http.js',
    find: 'throw fail(!(neverSent.has(code) && whileConnecting(error)), code);',
    put: 'throw fail(false, code);',
    forced: lostAnswers,
  },
  {
    name: 'new refund key per try',
    file: 'src/activities/refunds.js',
    find: 'key: refund.id,',
    put: 'key: `${refund.id}:${Math.floor(Math.random() * 1e9)}`,',
    forced: lostAnswers,
  },
  {
    name: 'no event with the transition',
    file: 'src/db/transitions.js',
    find: `if (!transition.announce || stored.status === transition.paymentStatus)`,
    put: 'if (true)',
    forced: {},
  },
  {
    name: 'webhook new id per try',
    file: 'src/webhooks/signing.js',
    find: "'webhook-id': message.id,",
    put: "'webhook-id': `${message.id}-${Date.now()}`,",
    forced: {},
  },
  {
    name: 'the caller is logged with the request',
    file: 'src/api/app.js',
    find: 'status: reply.statusCode,',
    put: 'status: reply.statusCode, caller: request.headers.authorization,',
    forced: {},
  },
];

/** Plants every mistake by itself and prints the table; answers whether each was caught. */
export async function runPlanted({ root, keepIn, say, only }) {
  const table = [];
  for (const mistake of plantedInDecisions) {
    if (only && only !== mistake.name) continue;
    const { seeds, violations } = runSeeds(await decisionsWith(mistake), {
      first: 1,
      count: 20_000,
      onlyFirst: true,
    });
    table.push({ mistake, layer: 'simulation', violation: violations[0], after: `seed ${seeds}` });
  }
  for (const mistake of plantedInService) {
    if (only && only !== mistake.name) continue;
    say(`planting: ${mistake.name}`);
    const dist = mistaken(root, mistake);
    try {
      const { violations, schedules } = await runSchedules({
        dist,
        seeds: Array.from({ length: 8 }, (_, index) => 9_000 + index),
        keepIn: join(keepIn, 'planted'),
        say,
        onlyUntilFirst: true,
        forced: mistake.forced,
      });
      table.push({ mistake, layer: 'processes', violation: violations[0], after: `schedule ${schedules}` });
    } finally {
      rmSync(dirname(dist), { recursive: true, force: true });
    }
  }
  console.log('| planted | caught by | as | after |\n|---|---|---|---|');
  for (const { mistake, layer, violation, after } of table) {
    const as = violation ? `${violation.invariant}: ${violation.detail}` : 'NOT CAUGHT';
    console.log(`| ${mistake.name} | ${layer} | ${as} | ${after} |`);
  }
  return table.every(({ violation }) => violation !== undefined);
}

/** A copy of dist/ with one mistake in it, its workflow bundle made anew. */
function mistaken(root, mistake) {
  const dist = copyOfDist(root, 'planted');
  const file = join(dist, mistake.file);
  writeFileSync(file, plant(readFileSync(file, 'utf8'), mistake));
  execFileSync(process.execPath, [join(dist, 'src', 'worker', 'bundle.js')], { stdio: 'ignore' });
  return dist;
}
