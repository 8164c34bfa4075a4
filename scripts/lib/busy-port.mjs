import { connect, createServer } from 'node:net';
import { Problem } from './problem.mjs';

const HOST = '127.0.0.1';
const PROBE_MS = 1_000;

/**
 * Throws Problem when the port of `--port` is busy: before the installation and the build, which take
 * minutes. Other faults of the flags are reported by the program that reads them all.
 * @param {readonly string[]} args
 */
export async function refuseBusyPort(args) {
  const port = namedPort(args);
  if (port === undefined) return;
  if ((await answers(port)) || !(await canBind(port)))
    throw new Problem(`port ${port} is busy: free it or choose another with --port`);
}

/** @param {readonly string[]} args */
function namedPort(args) {
  const at = args.findLastIndex((arg) => arg === '--port' || arg.startsWith('--port='));
  if (at === -1) return undefined;
  const text = args[at] === '--port' ? (args[at + 1] ?? '') : (args[at] ?? '').slice('--port='.length);
  const port = Number(text);
  return /^\d+$/.test(text) && port >= 1 && port <= 65_535 ? port : undefined;
}

/** @param {number} port */
function answers(port) {
  return new Promise((resolve) => {
    const socket = connect({ port, host: HOST });
    const done = (/** @type {boolean} */ answered) => {
      socket.destroy();
      resolve(answered);
    };
    socket.setTimeout(PROBE_MS, () => done(true));
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
  });
}

/** @param {number} port */
function canBind(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: HOST, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
