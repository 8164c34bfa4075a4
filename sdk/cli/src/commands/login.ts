import { hostname } from 'node:os';
import type { Command } from 'commander';
import { parseApiKey } from '../../../../src/crypto/api-key.ts';
import { scopes as everyScope } from '../../../../src/domain/scopes.ts';
import { type CommonFlags, stopSignal, subcommand } from '../command.ts';
import { misused, refused } from '../errors.ts';
import { loginPath, removeLogin, writeLogin } from '../login/login-file.ts';
import { openBrowser } from '../login/open-browser.ts';
import { startPairing, waitForKey } from '../login/pairing.ts';
import { createOutput, printable } from '../output.ts';
import { askSecret } from '../prompt.ts';
import { findBaseUrl, readKeyScopes } from '../target.ts';

type LoginFlags = CommonFlags & { live?: boolean; scopes?: string; paste?: boolean; browser: boolean };
type Environment = 'sandbox' | 'live';

/** The scopes that the commands need: all of their sandbox work, and reading live payments. */
const defaultScopes: Readonly<Record<Environment, readonly string[]>> = {
  sandbox: [
    'payments:write',
    'refunds:write',
    'disputes:write',
    'webhooks:read',
    'events:write',
    'sandbox:write',
  ],
  live: ['payments:read', 'refunds:read', 'disputes:read', 'webhooks:read', 'events:read'],
};

const longestComputer = 60;

/** `login`: gets a key through the dashboard and stores it. `logout` removes it. */
export function addLogin(program: Command): void {
  subcommand(program, 'login', 'Get a key by the dashboard, and store it for this machine’s user.')
    .option('--live', 'ask for a key of live payments instead of the sandbox')
    .option('--scopes <list>', 'what the key may do, such as payments:read,events:read')
    .option('--paste', 'ask for a key that you made yourself, or read it from a pipe')
    .option('--no-browser', 'only print the address')
    .action(login);
  program.command('logout').description('Remove the stored key.').action(removeLogin);
}

async function login(flags: LoginFlags): Promise<void> {
  const baseUrl = findBaseUrl(flags);
  if (!URL.canParse(baseUrl)) throw misused('--base-url must be a URL such as https://pay.example');
  const { origin } = new URL(baseUrl);
  const environment = flags.live === true ? 'live' : 'sandbox';
  const asked = readScopes(flags.scopes) ?? defaultScopes[environment];
  const given = flags.apiKey ?? (flags.paste === true ? await pastedKey(origin, environment) : null);
  const apiKey =
    given ?? (await pairedKey(origin, environment, asked, flags)) ?? (await pastedKey(origin, environment));
  const parsed = parseApiKey(apiKey);
  if (!parsed) throw misused('That is not an API key: copy the whole key, cps_…, and run login again.');
  const scopes = await readKeyScopes({ baseUrl: origin, apiKey });
  writeLogin({ baseUrl: origin, apiKey });
  const file = loginPath();
  const may = scopes === 'full' ? 'It may do everything.' : `It may do ${scopes.join(', ')}.`;
  const stored = { baseUrl: origin, environment: parsed.environment, keyId: parsed.keyId, scopes, file };
  createOutput(flags).result(
    stored,
    () => `Stored the ${parsed.environment} key ${parsed.keyId} in ${file}. ${may}`,
  );
}

/** Returns the scopes of the flag; null for none. */
function readScopes(text: string | undefined): string[] | null {
  if (text === undefined) return null;
  const named = text.split(/[\s,]+/).filter((name) => name !== '');
  const known: readonly string[] = everyScope;
  const wrong = named.find((name) => !known.includes(name));
  if (wrong !== undefined || named.length === 0) {
    throw misused(`--scopes takes scopes such as payments:read,events:read. They are ${known.join(', ')}.`);
  }
  return named;
}

/** Returns a key that a member approved in the dashboard; null when the service has no such page. */
async function pairedKey(
  origin: string,
  environment: Environment,
  scopes: readonly string[],
  flags: LoginFlags,
): Promise<string | null> {
  const signal = stopSignal();
  try {
    const computer = computerName();
    const pairing = await startPairing(origin, { environment, scopes, computer }, signal);
    if (pairing === null) return null;
    process.stderr.write(
      `Open this address, check that it shows the code ${printable(pairing.code)}, and approve it there:\n` +
        `${printable(pairing.url)}\nWaiting until then. Ctrl-C stops.\n`,
    );
    if (flags.browser) openBrowser(pairing.url);
    return await waitForKey(origin, pairing, signal);
  } catch (error) {
    if (signal.aborted) throw refused('Nothing was stored.');
    throw error;
  }
}

/** The name of this computer as the dashboard shows it. */
const computerName = (): string =>
  Array.from(hostname().replaceAll(/\p{C}/gu, '')).slice(0, longestComputer).join('') || 'a computer';

function pastedKey(origin: string, environment: Environment): Promise<string> {
  process.stderr.write(
    `Create a key with only the scopes that you need: ${origin}/dashboard/${environment}/developers\n`,
  );
  return askSecret('Paste the key here (it is not shown): ');
}
