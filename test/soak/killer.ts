import { setTimeout as sleep } from 'node:timers/promises';

export interface KillerOptions {
  /** Kinds of process, in turn: `worker` means any of them. None: no process is killed. */
  kinds: readonly string[];
  everyMs: number;
  /** The running processes by name, as they are now. */
  processes: () => Record<string, number>;
  signal: AbortSignal;
  logLine: (line: string) => void;
}

/** Kills processes of the running stack until it is stopped; returns how many. */
export async function killProcesses(options: KillerOptions): Promise<number> {
  const { kinds, everyMs, processes, signal, logLine } = options;
  let kills = 0;
  for (;;) {
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
    const kind = kinds[kills % kinds.length];
    if (signal.aborted || kind === undefined) return kills;
    const running = Object.entries(processes()).filter(
      ([name]) => name === kind || name.startsWith(`${kind}-`),
    );
    const victim = running[Math.floor(Math.random() * running.length)];
    if (victim === undefined) continue;
    try {
      process.kill(victim[1], 'SIGKILL');
      kills += 1;
      logLine(`… killed ${victim[0]}`);
    } catch {
      // Already gone: it is being started again.
    }
  }
}
