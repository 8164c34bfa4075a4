import { setTimeout as sleep } from 'node:timers/promises';
import { randomFrom } from './random.mjs';
import { troubleMs } from './plan.mjs';

/** Requests that move money or answer for it: long after their caller gave up they must be harmless. */
const mayComeLate = ['charge', 'confirm', 'refund', 'evidence', 'accept'];

/**
 * Brings a plan about: kills and freezes processes at instants and at named points, and answers the proxies which
 * fault a request meets. `attach` gives it the stack; between plans it does nothing.
 */
export function createTrouble() {
  let stack = null;
  let plan = null;
  let random = randomFrom(0);
  let armed = [];
  const frozen = new Map();
  const log = [];
  const hits = {};
  const note = (line) => log.push(`${new Date().toISOString()} ${line}`);

  const signal = (pid, name) => {
    try {
      process.kill(pid, name);
      return true;
    } catch {
      return false;
    }
  };

  /** PostgreSQL's children share its group: the postmaster alone would leave them working. */
  const everyone = (target, pid) => (target === 'postgres' || target === 'temporal' ? -pid : pid);

  function kill(target) {
    const pid = stack?.pid(target);
    if (!pid) return;
    note(`kill ${target} (${pid})`);
    frozen.delete(target);
    signal(everyone(target, pid), 'SIGKILL');
  }

  async function freeze(target, ms) {
    const pid = stack?.pid(target);
    if (!pid || frozen.has(target)) return;
    note(`freeze ${target} (${pid}) for ${ms} ms`);
    frozen.set(target, pid);
    signal(everyone(target, pid), 'SIGSTOP');
    await sleep(ms);
    thaw(target, pid);
  }

  function thaw(target, pid) {
    if (frozen.get(target) === pid) frozen.delete(target);
    signal(everyone(target, pid), 'SIGCONT');
  }

  const member = (victim) =>
    victim === 'worker' || victim === 'api' ? `${victim}-${random.between(1, 2)}` : victim;

  return {
    note,
    log,
    hits,
    attach: (running) => (stack = running),
    begin(next) {
      plan = next;
      random = randomFrom(next.seed ^ 0x5bd1e995);
      armed = next.points.map((each) => ({ ...each }));
      log.length = 0;
      stack.receiver.failWhen(() => plan !== null && random.chance(plan.receiverFails));
    },
    /** Plays the timed actions; resolves when the last is over. */
    async play() {
      const startedAt = Date.now();
      const freezes = [];
      for (const action of plan.actions) {
        await sleep(Math.max(0, startedAt + action.at - Date.now()));
        if (action.do === 'kill') kill(action.target);
        else if (action.do === 'freeze') freezes.push(freeze(action.target, action.forMs));
        else if (action.do === 'cutPostgres') {
          note('cut every PostgreSQL connection');
          stack.cutPostgres();
        }
      }
      await sleep(Math.max(0, startedAt + troubleMs - Date.now()));
      await Promise.all(freezes);
    },
    /** No fault from here on; whoever is frozen goes on. */
    heal() {
      plan = null;
      armed = [];
      for (const [target, pid] of frozen) thaw(target, pid);
      note('healed');
    },
    /** A named point was reached: whoever is to die here dies before anything else happens. */
    async reach(point) {
      if (plan === null) return;
      hits[point] = (hits[point] ?? 0) + 1;
      const at = armed.findIndex((each) => each.point === point);
      if (at === -1) return;
      if (armed[at].skip > 0) {
        armed[at].skip -= 1;
        return;
      }
      const [{ do: what, victim, forMs }] = armed.splice(at, 1);
      note(`point ${point}`);
      // Which of the two workers holds the task is not seen from here: for a certain hit both go.
      const targets = victim === 'worker' && random.chance(0.6) ? ['worker-1', 'worker-2'] : [member(victim)];
      for (const target of targets) {
        if (what === 'kill') kill(target);
        else void freeze(target, forMs);
      }
    },
    fault(hop, name) {
      const faults = plan?.hops[hop];
      if (!faults || !random.chance(faults.probability)) return null;
      const mode = random.pick(faults.modes);
      const held = mode === 'hold' && !mayComeLate.includes(name) ? 'delay' : mode;
      note(`${hop}.${name}: ${held}`);
      return { mode: held, ms: held === 'hold' ? faults.holdMs : faults.delayMs };
    },
    loseCommit() {
      if (plan === null || !random.chance(plan.loseCommits)) return false;
      note('the answer to a COMMIT is lost');
      return true;
    },
  };
}
