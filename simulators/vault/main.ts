import { dieOnBrokenJournal, runProcess, SettingsError, stdoutLog } from '../process.ts';
import { settingsReader } from '../settings.ts';
import { decodeMasterKey } from './master-key.ts';
import { buildVault, type VaultOptions } from './vault.ts';

const log = stdoutLog('vault');

/** The process of the vault simulator; its settings are the `VAULT_SIM_*` variables (docs/simulators.md). */
await runProcess(log, async () => {
  const vault = await buildVault(readOptions(process.env));
  return { url: await vault.listen(), close: () => vault.close() };
});

function readOptions(env: NodeJS.ProcessEnv): VaultOptions {
  const read = settingsReader('VAULT_SIM_', env);
  const encoded = read.optional('ENCRYPTION_KEY');
  const encryptionKey = encoded === undefined ? undefined : decodeMasterKey(encoded);
  if (encryptionKey === null) throw new SettingsError('VAULT_SIM_ENCRYPTION_KEY must be base64 of 32 bytes.');
  const options: VaultOptions = {
    dataDir: read.text('DATA_DIR'),
    serviceKey: read.secret('SERVICE_KEY'),
    networkKey: read.secret('NETWORK_KEY'),
    host: read.text('HOST', '127.0.0.1'),
    port: read.port('PORT'),
    publicUrl: read.url('PUBLIC_URL'),
    log,
    onBroken: dieOnBrokenJournal,
  };
  return encryptionKey ? { ...options, encryptionKey } : options;
}
