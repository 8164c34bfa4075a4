import type { Command } from 'commander';
import { parseApiKey } from '../../../../src/crypto/api-key.ts';
import { type CommonFlags, subcommand } from '../command.ts';
import { misused } from '../errors.ts';
import { loginPath, removeLogin, writeLogin } from '../login-file.ts';
import { createOutput } from '../output.ts';
import { askSecret } from '../prompt.ts';
import { findBaseUrl, readKeyScopes } from '../target.ts';

/** `login`: stores a key that its user creates in the dashboard. `logout` removes it. */
export function addLogin(program: Command): void {
  subcommand(program, 'login', 'Store a key of your account for the commands of this machine’s user.')
    .option('--live', 'open the dashboard of live payments instead of the sandbox’s')
    .action(login);
  program.command('logout').description('Remove the stored key.').action(removeLogin);
}

async function login(flags: CommonFlags & { live?: boolean }): Promise<void> {
  const baseUrl = findBaseUrl(flags);
  if (!URL.canParse(baseUrl)) throw misused('--base-url must be a URL such as https://pay.example');
  const { origin } = new URL(baseUrl);
  const environment = flags.live === true ? 'live' : 'sandbox';
  process.stderr.write(
    `Create a key with only the scopes that you need: ${origin}/dashboard/${environment}/developers\n`,
  );
  const apiKey = flags.apiKey ?? (await askSecret('Paste the key here (it is not shown): '));
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
