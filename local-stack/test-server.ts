import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from '../scripts/lib/lock.mjs';
import { cacheDir } from './cache-dir.ts';
import { StackProblem } from './problem.ts';
import { runTool } from './run-tool.ts';
import { downloadBySdk } from './sdk-download.ts';
import { type FetchOptions, findOnPath } from './go-install.ts';

const VERSION = '1.38.0';
const MAVEN_MS = 10 * 60_000;

/**
 * `exec` replaces the shell by the server, so the SDK stops the right process. When the test process dies
 * without stopping it, the loop stops it, after checking that the number is still the server's; both end
 * within a second. The JVM options halve the start-up time.
 */
const WRAPPER = `#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
parent=$PPID
is_server() { grep -q test-server "/proc/$$/cmdline" || ps -o command= -p $$ | grep -q test-server; }
( while kill -0 "$parent"; do kill -0 $$ || exit; sleep 1; done; is_server && kill $$ ) </dev/null >/dev/null 2>&1 &
[ -x "$here/native" ] && exec "$here/native" "$@"
java=java
[ -n "$JAVA_HOME" ] && [ -x "$JAVA_HOME/bin/java" ] && java=$JAVA_HOME/bin/java
exec "$java" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$here/jars/*" io.temporal.testserver.TestServer "$@"
`;

/**
 * Returns the path of a time-skipping Temporal test server for `createTimeSkipping({server: {executable:
 * {type: 'existing-path', path}}})`: a wrapper script of the server from the cache, which the SDK's download
 * or Maven's `io.temporal:temporal-test-server` fills. Throws StackProblem naming these ways.
 */
export async function findTestServer(options: FetchOptions): Promise<string> {
  const directory = cacheDir(`test-server-${VERSION}`);
  const isPresent = (): boolean => ['native', 'jars'].some((name) => existsSync(join(directory, name)));
  if (!isPresent()) {
    await withLock(
      join(directory, 'lock'),
      {
        timeoutMs: MAVEN_MS,
        onWait: ({ pid }) => options.report(`waiting for process ${pid}, which is fetching it`),
      },
      async () => {
        if (!isPresent()) await obtain(directory, options);
      },
    );
  }
  return writeWrapper(directory);
}

async function obtain(directory: string, options: FetchOptions): Promise<void> {
  const logFile = join(cacheDir('logs'), 'test-server.log');
  options.report('trying the download of the Temporal SDK');
  const noDownload = await downloadBySdk('time-skipping', join(directory, 'native'), { ...options, logFile });
  if (noDownload !== undefined) await fetchWithMaven(directory, logFile, noDownload, options);
}

/** Replaces the script by a rename when it changed, so that a parallel run never executes half of it. */
function writeWrapper(directory: string): string {
  const path = join(directory, 'temporal-test-server.sh');
  if (existsSync(path) && readFileSync(path, 'utf8') === WRAPPER) return path;
  const scratch = `${path}.${process.pid}`;
  writeFileSync(scratch, WRAPPER, { mode: 0o755 });
  renameSync(scratch, path);
  return path;
}

async function fetchWithMaven(
  directory: string,
  logFile: string,
  noDownload: string,
  options: FetchOptions,
): Promise<void> {
  const maven = findOnPath('mvn');
  if (maven === undefined || (findOnPath('java') === undefined && !process.env['JAVA_HOME'])) {
    throw new StackProblem(
      `no time-skipping Temporal test server: install Java 11 or newer and Maven, which fetches it (${noDownload})`,
    );
  }
  options.report('fetching its jars with Maven, once');
  const pom = fileURLToPath(new URL('../scripts/test-server/pom.xml', import.meta.url));
  // The lock gives this process sole use of the directory; one that a killed run left is replaced.
  const scratch = join(directory, 'jars.new');
  rmSync(scratch, { recursive: true, force: true });
  try {
    const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${scratch}`];
    await runTool(maven, ['--batch-mode', '--no-transfer-progress', '-f', pom, ...goal], {
      logFile,
      timeoutMs: MAVEN_MS,
      signal: options.signal,
      guard: options.guard,
    });
    rmSync(join(directory, 'jars'), { recursive: true, force: true });
    renameSync(scratch, join(directory, 'jars'));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
