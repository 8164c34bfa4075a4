import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { readSettings } from '../../src/runtime/settings.ts';
import { createCardFrameServer } from '../../src/card-frame/server.ts';

/** The development key, which the API has too. */
export const cardFrameKey = readSettings({ DATABASE_URL: 'postgres://127.0.0.1/test' }).CARD_FRAME_KEY;

export interface RunningCardFrame {
  url: string;
  close: () => Promise<void>;
}

/** Starts the card frame on the given port of this machine, or on a free one. */
export async function startCardFrame(
  {
    parentOrigin,
    vaultUrl,
    stripeUrl = null,
  }: { parentOrigin: string; vaultUrl: string; stripeUrl?: string | null },
  port = 0,
): Promise<RunningCardFrame> {
  const server = createCardFrameServer({
    parentOrigin,
    vaultUrl,
    stripeUrl,
    key: cardFrameKey,
    production: false,
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
