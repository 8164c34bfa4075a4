import { dieOnBrokenJournal, runProcess, stdoutLog } from '../../process.ts';
import { settingsReader } from '../../settings.ts';
import { buildPciVault, type PciVaultOptions } from './pci-vault.ts';

const log = stdoutLog('pci-vault');

/**
 * The process of the PCI Vault dialect; its settings are the `PCI_VAULT_SIM_*` variables
 * (docs/simulators.md).
 */
await runProcess(log, async () => {
  const vault = await buildPciVault(readOptions(process.env));
  return { url: await vault.listen(), close: () => vault.close() };
});

function readOptions(env: NodeJS.ProcessEnv): PciVaultOptions {
  const read = settingsReader('PCI_VAULT_SIM_', env);
  return {
    dataDir: read.text('DATA_DIR'),
    user: read.text('USER'),
    password: read.secret('PASSWORD'),
    key: { name: read.text('KEY'), passphrase: read.secret('PASSPHRASE') },
    proxy: { target: read.url('PROXY_TARGET'), key: read.secret('PROXY_KEY') },
    host: read.text('HOST', '127.0.0.1'),
    port: read.port('PORT'),
    publicUrl: read.url('PUBLIC_URL'),
    log,
    onBroken: dieOnBrokenJournal,
  };
}
