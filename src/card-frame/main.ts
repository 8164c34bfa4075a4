import { createLogger } from '../runtime/logger.ts';
import { runProcess } from '../runtime/run-process.ts';
import { readCardFrameSettings } from '../runtime/settings.ts';
import { createCardFrameServer } from './server.ts';

/**
 * The card frame's process. It serves the card fields of hosted pages whose cards PCI Vault stores. ADR 0023.
 */
await runProcess(process.env, async () => {
  const settings = readCardFrameSettings(process.env);
  const logger = createLogger('card-frame', settings.LOG_LEVEL);
  const server = createCardFrameServer({
    parentOrigin: new URL(settings.PUBLIC_URL).origin,
    vaultUrl: settings.CARD_FRAME_VAULT_URL,
    stripeUrl: settings.WALLET_FRAME_URL === undefined ? null : settings.WALLET_FRAME_STRIPE_URL,
    key: settings.CARD_FRAME_KEY,
    production: settings.DEPLOYMENT === 'production',
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(settings.CARD_FRAME_PORT, settings.CARD_FRAME_HOST, resolve);
  });
  logger.info({ port: settings.CARD_FRAME_PORT }, 'card frame ready');
  return {
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
});
