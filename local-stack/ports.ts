import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Lock, tryLock } from '../scripts/lib/lock.mjs';
import { browsersRefuse } from './browser-ports.ts';
import { StackProblem } from './problem.ts';

const HOST = '127.0.0.1';
const PROBE_MS = 1_000;
/**
 * A busy port is replaced in these steps, so that a stack's ports stay recognizable and below the ephemeral
 * range.
 */
const STEP = 10;
const STEPS = 200;

/**
 * Reservations of this process. Those of a killed process are taken over by the next one that needs the port.
 */
const held: Lock[] = [];

export interface Port {
  port: number;
  /** The preferred port was busy and another was chosen. */
  moved: boolean;
}

/**
 * Chooses a port on 127.0.0.1 and reserves it against other stacks on this machine until this process ends.
 * `wanted` is in order of preference; when all are busy, a free port above the last is chosen. Never returns
 * one that browsers refuse.
 */
export async function choosePort(wanted: readonly number[]): Promise<Port> {
  const last = wanted.at(-1) ?? 20_000;
  const higher = Array.from({ length: STEPS }, (_, index) => last + (index + 1) * STEP);
  for (const port of [...wanted, ...higher]) {
    if (port < 65_536 && !browsersRefuse(port) && (await claim(port)))
      return { port, moved: port !== wanted[0] };
  }
  throw new StackProblem(`no free port above ${last}: free one, or choose with --port`);
}

/** Reserves and returns the port that `--port` names. Throws StackProblem when it cannot serve pages. */
export async function claimNamedPort(port: number): Promise<number> {
  if (browsersRefuse(port)) {
    throw new StackProblem(`browsers refuse port ${port}: choose another with --port`);
  }
  if (await claim(port)) return port;
  throw new StackProblem(`port ${port} is busy: free it or choose another with --port`);
}

/** Reserves the port: another starting stack could take it between this check and the child's bind. */
async function claim(port: number): Promise<boolean> {
  if (!(await isPortFree(port))) return false;
  const { lock } = tryLock(join(reservations(), `${port}.lock`));
  if (lock === undefined) return false;
  if (held.length === 0) process.once('exit', () => held.forEach((reservation) => reservation.release()));
  held.push(lock);
  return true;
}

function reservations(): string {
  return join(tmpdir(), `card-payments-ports-${process.getuid?.() ?? 'all'}`);
}

/**
 * Returns whether no server answers there and the port can be bound; on some systems one check is not enough.
 */
export async function isPortFree(port: number): Promise<boolean> {
  return !(await answers(port)) && (await canBind(port));
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: HOST });
    const done = (answered: boolean): void => {
      socket.destroy();
      resolve(answered);
    };
    socket.setTimeout(PROBE_MS, () => done(true));
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
  });
}

function canBind(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: HOST, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
