import type { Settings } from '../../runtime/settings.ts';
import { type Check, runCheck } from './check.ts';

/** Longest wait for one answer, in ms. */
const waitMs = 5_000;

/** Returns the checks that the sandbox's vault and network answer at their addresses. */
export function checkSimulators({ VAULT_URL, NETWORK_URL }: Settings): Promise<Check[]> {
  return Promise.all(
    (
      [
        ['sandbox vault', 'VAULT_URL', VAULT_URL],
        ['sandbox network', 'NETWORK_URL', NETWORK_URL],
      ] as const
    ).map(([name, setting, url]) =>
      runCheck(
        name,
        async () => {
          const { ok, status } = await fetch(new URL('/healthz', url), {
            signal: AbortSignal.timeout(waitMs),
          });
          return ok ? null : `${setting}: it answers ${status}: correct the address, or check its logs`;
        },
        (reason) => `${setting}: nothing answers there (${reason}): start it, or correct the address`,
      ),
    ),
  );
}
