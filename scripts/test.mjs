/**
 * `npm test`: installs, builds and fetches what is missing, runs the suites, and ends every process it
 * started. Arguments go to jest: `npm test -- test/unit/domain --selectProjects=unit`. Tests that wait for
 * outages and killed processes are in `npm run test:endurance`.
 */
import { bootstrap, root } from './bootstrap.mjs';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from './build.mjs';
import { importLocalStack } from './lib/local-stack.mjs';
import { Problem, reportingProblems, logLine } from './lib/problem.mjs';
import { isSameProcess, processIdentity } from './lib/process-identity.mjs';

/** Longest wait for the run's servers to stop when jest itself could not stop them. */
const SERVERS_STOP_MS = 30_000;
/** Jest loads all modules again for each file. A larger young generation makes collecting them cheaper. */
const YOUNG_SPACE = '--max-semi-space-size=64';
/** A killed npm cannot pass a signal on to us, so its process is polled. */
const NPM_POLL_MS = 1_000;

await reportingProblems(async () => {
  await bootstrap();
  await build({ strict: false });
  await fetchServers();
});
process.exit(await runJest(withProjects(process.argv.slice(2))));

/**
 * Returns jest's arguments: files and projects that are named run alone.
 * @param {string[]} args
 */
function withProjects(args) {
  const chosen = args.some((arg) => !arg.startsWith('-') || arg.startsWith('--selectProjects'));
  return chosen ? args : [...args, '--selectProjects', 'unit', 'stack'];
}

/**
 * Runs before the tests rather than in them, because the first time takes minutes and prints its progress.
 */
async function fetchServers() {
  const { findTemporalCli } = await importLocalStack('temporal-cli');
  const { findTestServer } = await importLocalStack('test-server');
  /** @param {string} what */
  const reporter = (what) => {
    let last = '';
    /** @param {string} detail */
    return (detail) => {
      // A running count of packages or seconds is one line, not hundreds.
      const text = detail.replace(/: [^:]*\b\d+ s$/, '');
      if (text !== last) logLine(`… ${what}: ${text}`);
      last = text;
    };
  };
  try {
    await findTemporalCli({ report: reporter('Temporal CLI') });
    await findTestServer({ report: reporter('time-skipping Temporal server') });
  } catch (error) {
    throw new Problem(error instanceof Error ? error.message : String(error));
  }
}

/** @param {string[]} args */
async function runJest(args) {
  const { Watchdog } = await importLocalStack('watchdog');
  const { npmParent } = await importLocalStack('npm-parent');
  // Made by the global setup, when there is anything to start.
  const runDirectory = join(tmpdir(), `card-payments-test-${randomUUID()}`);
  const watchdog = new Watchdog();
  const interactive = args.some((arg) => arg.startsWith('--watch'));
  const jest = spawn(process.execPath, [YOUNG_SPACE, join(root, 'node_modules/jest/bin/jest.js'), ...args], {
    cwd: root,
    stdio: 'inherit',
    // A group of its own, so that it can be ended with everything that its tests started. Watch mode needs
    // the terminal's group.
    detached: !interactive,
    env: {
      ...process.env,
      TEST_RUN_DIR: runDirectory,
      NODE_OPTIONS: [
        process.env.NODE_OPTIONS,
        '--experimental-vm-modules',
        '--disable-warning=ExperimentalWarning',
      ]
        .filter(Boolean)
        .join(' '),
    },
  });
  const { pid } = jest;
  if (pid === undefined) throw new Error('jest could not be started');
  watchdog.guard({
    name: 'jest',
    pid,
    startedAt: processIdentity(pid),
    stage: 0,
    signals: ['SIGTERM'],
    graceMs: 5_000,
    group: true,
  });
  watchdog.removeWhenOrphaned(runDirectory);
  /** @type {readonly NodeJS.Signals[]} */
  const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of passedOn) process.on(signal, () => jest.kill(signal));
  const npm = npmParent();
  if (npm !== undefined) setInterval(() => isSameProcess(npm) || jest.kill('SIGTERM'), NPM_POLL_MS).unref();
  /** @type {number} */
  const code = await new Promise((resolve) => {
    jest.once('exit', (exitCode, signal) => resolve(exitCode ?? endedBy(signal)));
  });
  if (!interactive) killGroup(pid);
  await untilGone(runDirectory);
  await watchdog.close();
  return code;
}

/**
 * Jest prints nothing when a signal ends it: without this line its output would just stop.
 * @param {NodeJS.Signals | null} signal
 */
function endedBy(signal) {
  logLine(`error: jest was ended by ${signal}`);
  return signal === 'SIGINT' ? 130 : 1;
}

/** @param {number} pid */
function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is empty, as expected.
  }
}

/**
 * The servers' directory is removed when they have stopped, by jest's teardown or, if jest died, by their
 * watchdog.
 * @param {string} directory
 */
async function untilGone(directory) {
  const deadline = Date.now() + SERVERS_STOP_MS;
  while (existsSync(directory) && Date.now() < deadline) await sleep(50);
}
