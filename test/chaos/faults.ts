import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../support/harness/random.ts';
import type { Fault } from './http-proxy.ts';
import { type Hop, type Plan, type PointAction, type ProcessName, type Victim, faultsMs } from './plan.ts';

/** Requests that move money or decide about it. They must be harmless long after their caller gave up. */
const mayComeLate = ['charge', 'confirm', 'refund', 'evidence', 'accept'];

/** The running processes, as far as faults affect them. */
export interface Victims {
  /** Undefined while the process is being restarted. */
  pidOf: (name: ProcessName) => number | undefined;
  cutPostgres: () => void;
  failDeliveriesWhen: (fails: () => boolean) => void;
}

/**
 * Runs a plan: kills and freezes processes at planned times and named points, and chooses the fault of each
 * request. Between plans it does nothing.
 */
export class FaultInjector {
  /** What was done, one line each. */
  readonly log: string[] = [];
  #victims: Victims | null = null;
  #plan: Plan | null = null;
  #random = new Random(0);
  /** Points of the plan that were not reached yet. */
  #armed: PointAction[] = [];
  readonly #frozen = new Map<ProcessName, number>();

  note(line: string): void {
    this.log.push(`${new Date().toISOString()} ${line}`);
  }

  attach(victims: Victims): void {
    this.#victims = victims;
    victims.failDeliveriesWhen(() => this.#plan !== null && this.#random.chance(this.#plan.receiverFails));
  }

  begin(plan: Plan): void {
    this.#plan = plan;
    this.#random = new Random(plan.seed ^ 0x5bd1e995);
    this.#armed = plan.points.map((each) => ({ ...each }));
    this.log.length = 0;
  }

  /** Runs the timed actions, and resolves when the last is over. */
  async play(): Promise<void> {
    const startedAtMs = Date.now();
    const untilMs = (atMs: number): number => Math.max(0, startedAtMs + atMs - Date.now());
    const freezes: Promise<void>[] = [];
    for (const action of this.#plan?.actions ?? []) {
      await sleep(untilMs(action.atMs));
      switch (action.do) {
        case 'kill':
          this.#kill(action.target);
          break;
        case 'freeze':
          freezes.push(this.#freeze(action.target, action.forMs));
          break;
        case 'cutPostgres':
          this.note('cut every PostgreSQL connection');
          this.#victims?.cutPostgres();
      }
    }
    await sleep(untilMs(faultsMs));
    await Promise.all(freezes);
  }

  /** Ends all faults; frozen processes continue. */
  heal(): void {
    this.#plan = null;
    this.#armed = [];
    for (const [target, pid] of this.#frozen) this.#thaw(target, pid);
    this.note('healed');
  }

  /** Handles a reached point: a process to kill here dies before anything else happens. */
  async reach(point: string): Promise<void> {
    const at = this.#armed.findIndex((each) => each.point === point);
    const armed = this.#armed[at];
    if (armed === undefined) return;
    if (armed.skip > 0) {
      armed.skip -= 1;
      return;
    }
    this.#armed.splice(at, 1);
    this.note(`point ${point}`);
    for (const target of this.#targets(armed.victim)) {
      if (armed.do === 'kill') this.#kill(target);
      else void this.#freeze(target, armed.forMs);
    }
  }

  /** Returns the fault of a request, or null. */
  faultFor(hop: Hop, name: string): Fault | null {
    const faults = this.#plan?.hops[hop];
    if (!faults || !this.#random.chance(faults.probability)) return null;
    const drawn = this.#random.pick(faults.modes);
    const mode = drawn === 'hold' && !mayComeLate.includes(name) ? 'delay' : drawn;
    this.note(`${hop}.${name}: ${mode}`);
    return { mode, ms: mode === 'hold' ? faults.holdMs : faults.delayMs };
  }

  losesCommit(): boolean {
    if (this.#plan === null || !this.#random.chance(this.#plan.loseCommits)) return false;
    this.note('the answer to a COMMIT is lost');
    return true;
  }

  #targets(victim: Victim): ProcessName[] {
    if (victim !== 'worker' && victim !== 'api') return [victim];
    // The worker that holds the task is not known here, so killing both makes a hit certain.
    if (victim === 'worker' && this.#random.chance(0.6)) return ['worker-1', 'worker-2'];
    return [this.#random.pick([`${victim}-1`, `${victim}-2`] as const)];
  }

  #kill(target: ProcessName): void {
    const pid = this.#victims?.pidOf(target);
    if (pid === undefined) return;
    this.note(`kill ${target} (${pid})`);
    this.#frozen.delete(target);
    send(target, pid, 'SIGKILL');
  }

  async #freeze(target: ProcessName, forMs: number): Promise<void> {
    const pid = this.#victims?.pidOf(target);
    if (pid === undefined || this.#frozen.has(target)) return;
    this.note(`freeze ${target} (${pid}) for ${forMs} ms`);
    this.#frozen.set(target, pid);
    send(target, pid, 'SIGSTOP');
    await sleep(forMs);
    this.#thaw(target, pid);
  }

  #thaw(target: ProcessName, pid: number): void {
    if (this.#frozen.get(target) === pid) this.#frozen.delete(target);
    send(target, pid, 'SIGCONT');
  }
}

/** Sends a signal to a whole group for PostgreSQL and Temporal, whose children would otherwise continue. */
function send(target: ProcessName, pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target === 'postgres' || target === 'temporal' ? -pid : pid, signal);
  } catch {
    // The process has already ended.
  }
}
