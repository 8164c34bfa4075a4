import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { readSettings } from '../../src/runtime/settings.ts';
import { createCardFrameServer } from '../../src/card-frame/server.ts';

/** The key of development, which the API has too. */
export const cardFrameKey = readSettings({ DATABASE_URL: 'postgres://127.0.0.1/test' }).CARD_FRAME_KEY;

export interface RunningCardFrame {
  url: string;
  close: () => Promise<void>;
}

/** The card frame on a port of this machine; on a free one unless named. */
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
