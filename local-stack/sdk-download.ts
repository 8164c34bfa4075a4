import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { reasonOf } from './problem.ts';
import { type ToolOptions, runTool } from './run-tool.ts';

/** The Temporal SDK downloads its servers from here. */
const DOWNLOADS = 'https://temporal.download/';
/** Longest wait for a probe. Behind some firewalls the connection neither opens nor fails. */
const PROBE_MS = 3_000;
const DOWNLOAD_MS = 5 * 60_000;

export type SdkServer = 'dev-server' | 'time-skipping';

/**
 * Lets the Temporal SDK download a server into `target`. Returns undefined, or the reason why it could not.
 * The download runs in its own process, because the SDK starts the server to test it and writes to the
 * terminal.
 */
export async function downloadBySdk(
  server: SdkServer,
  target: string,
  options: Pick<ToolOptions, 'logFile' | 'signal' | 'guard'>,
): Promise<string | undefined> {
  try {
    await fetch(DOWNLOADS, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(PROBE_MS) });
  } catch {
    return 'temporal.download cannot be reached';
  }
  const directory = `${target}.download`;
  const script = fileURLToPath(new URL('./sdk-download-process.js', import.meta.url));
  try {
    mkdirSync(directory, { recursive: true });
    await runTool(process.execPath, [script, server, directory], { ...options, timeoutMs: DOWNLOAD_MS });
    const name = readdirSync(directory).find((file) => !file.endsWith('.downloading'));
    if (name === undefined) return 'the SDK downloaded nothing';
    chmodSync(join(directory, name), 0o755);
    renameSync(join(directory, name), target);
    return existsSync(target) ? undefined : 'the downloaded file disappeared';
  } catch (error) {
    options.signal?.throwIfAborted();
    return reasonOf(error);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
