import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { check } from './checker.mjs';
import { gatherFacts, untilSettled } from './observations.mjs';
import { planOf } from './plan.mjs';
import { deadlineSeconds, startStack } from './stack.mjs';
import { createTrouble } from './faults.mjs';
import { runClient } from './workload.mjs';

/** What must be settled this long after the last fault (I17), ms. */
const settleMs = 60_000;

/**
 * Runs the schedules of `seeds` on one stack from the compiled service in `dist`. `onlyUntilFirst` stops at the first
 * violation. Answers `{schedules, violations, payments, seconds}`; each failed schedule leaves a directory to look at.
 */
export async function runSchedules({ dist, seeds, keepIn, say, onlyUntilFirst = false, forced = {} }) {
  const directory = mkdtempSync(join(tmpdir(), 'card-payments-chaos-'));
  const trouble = createTrouble();
  const startedAt = Date.now();
  const totals = {
    schedules: 0,
    payments: 0,
    charges: 0,
    refunds: 0,
    disputes: 0,
    unknowns: 0,
    longestSettleMs: 0,
    violations: [],
  };
  let stack;
  try {
    stack = await startStack({ dist, directory, trouble, say });
    trouble.attach(stack);
    for (const seed of seeds) {
      const plan = { ...planOf(seed), ...forced };
      const outcome = await runSchedule(stack, trouble, plan);
      totals.schedules += 1;
      totals.payments += outcome.payments;
      totals.charges += outcome.charges;
      totals.refunds += outcome.refunds;
      totals.disputes += outcome.disputes;
      totals.unknowns += outcome.unknowns;
      totals.longestSettleMs = Math.max(totals.longestSettleMs, outcome.settledAfterMs);
      const { violations } = outcome;
      say(
        `seed ${seed}: ${outcome.payments} payments, ${outcome.refunds} refunds, ${outcome.disputes} disputes, ${outcome.unknowns} unknown answers, settled ${(outcome.settledAfterMs / 1000).toFixed(1)} s after healing, violations: ${violations.length}`,
      );
      if (violations.length > 0) {
        const place = keep(keepIn, plan, outcome, trouble);
        totals.violations.push(...violations.map((each) => ({ seed, ...each })));
        for (const { invariant, paymentId, detail } of violations.slice(0, 10)) {
          say(`  ${invariant} ${paymentId ?? ''} ${detail}`);
        }
        say(`  kept in ${place}; again: npm run chaos -- --replay ${seed}`);
        if (onlyUntilFirst) break;
      }
    }
  } finally {
    trouble.heal();
    await stack?.stop();
    rmSync(directory, { recursive: true, force: true });
  }
  return {
    ...totals,
    seconds: Math.round((Date.now() - startedAt) / 1000),
    hits: trouble.hits,
    cores: cpus().length,
  };
}

async function runSchedule(stack, trouble, plan) {
  const since = new Date();
  const history = [];
  trouble.begin(plan);
  const until = Date.now() + (deadlineSeconds + 8) * 1000;
  const refundsUntil = until + 8_000;
  const clients = plan.clients.map((client) =>
    runClient({ client, apis: stack.apis, apiKey: stack.apiKey, history, until, refundsUntil }),
  );
  await trouble.play();
  trouble.heal();
  const healedAt = Date.now();
  await Promise.all(clients);
  // A payment that waits for its customer is open until its own deadline; the liveness clock starts after it.
  const settled = await untilSettled(stack, since, settleMs);
  const settledAfterMs = Date.now() - healedAt;
  // The run that settled the rows still has to complete; refunds and disputes follow the network's word.
  const agreeBy = Date.now() + settleMs;
  for (;;) {
    const facts = await gatherFacts(stack, history, since);
    const violations = check(facts);
    if (violations.length === 0 || !settled || Date.now() > agreeBy) {
      return {
        violations,
        facts,
        settledAfterMs,
        payments: facts.payments.length,
        charges: [...facts.ledgers.values()].flat().length,
        refunds: facts.refunds.length,
        disputes: facts.disputes.length,
        unknowns: history.filter(({ result }) => result === 'unknown').length,
      };
    }
    await sleep(1_000);
  }
}

/** Everything needed to see what happened: the plan, what was done, what the clients saw, what the systems say. */
function keep(keepIn, plan, { facts, violations }, trouble) {
  const place = join(keepIn, String(plan.seed));
  mkdirSync(place, { recursive: true });
  const write = (name, value) => writeFileSync(join(place, name), `${JSON.stringify(value, null, 1)}\n`);
  write('violations.json', violations);
  write('plan.json', plan);
  write('actions.json', trouble.log);
  write('history.json', facts.history);
  write('rows.json', {
    payments: facts.payments,
    attempts: facts.attempts,
    events: facts.events,
    refunds: facts.refunds,
    disputes: facts.disputes,
    ledgers: Object.fromEntries(facts.ledgers),
    ledgerRefunds: facts.ledgerRefunds,
    networkDisputes: facts.networkDisputes,
    workflows: Object.fromEntries(facts.workflows),
    received: facts.received,
  });
  for (const { name, text } of facts.logs) writeFileSync(join(place, name), text.slice(-400_000));
  return place;
}
