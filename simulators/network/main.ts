import { dieOnBrokenJournal, runProcess, SettingsError, stdoutLog } from '../process.ts';
import { settingsReader } from '../settings.ts';
import { buildNetwork, type NetworkOptions } from './network.ts';

const log = stdoutLog('network');

/**
 * The process of the network simulator; its settings are the `NETWORK_SIM_*` variables (docs/simulators.md).
 */
await runProcess(log, async () => {
  const network = await buildNetwork(readOptions(process.env));
  return { url: await network.listen(), close: () => network.close() };
});

function readOptions(env: NodeJS.ProcessEnv): NetworkOptions {
  const read = settingsReader('NETWORK_SIM_', env);
  const callbackSecret = read.secret('CALLBACK_SECRET');
  if (!/^whsec_[A-Za-z0-9+/]{16,}={0,2}$/.test(callbackSecret)) {
    throw new SettingsError('NETWORK_SIM_CALLBACK_SECRET must be whsec_ and the base64 of 32 random bytes.');
  }
  return {
    dataDir: read.text('DATA_DIR'),
    serviceKey: read.secret('SERVICE_KEY'),
    vaultUrl: read.url('VAULT_URL'),
    vaultKey: read.secret('VAULT_KEY'),
    otherUrl: read.optional('OTHER_URL') === undefined ? undefined : read.url('OTHER_URL'),
    voidsUnseenKeys: read.flag('VOIDS_UNSEEN_KEYS', true),
    callback: { url: read.url('CALLBACK_URL'), secret: callbackSecret },
    host: read.text('HOST', '127.0.0.1'),
    port: read.port('PORT'),
    publicUrl: read.url('PUBLIC_URL'),
    log,
    onBroken: dieOnBrokenJournal,
  };
}
