import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import { cardBehaviour } from '../test-cards.ts';
import { parseBody, Refusal, requireBearer } from '../server.ts';
import type { VaultContext } from './context.ts';

const revealBody = z.object({ token: z.string().min(1).max(4096), paymentId: z.string().min(1).max(128) });

/** Registers the routes of the card network, the only ones that return a card number. */
export function networkRoutes(vault: VaultContext): FastifyPluginAsync {
  return async (app) => {
    app.addHook('onRequest', requireBearer(vault.networkKey));
    app.post('/network/cards/reveal', async (request) => {
      const { token, paymentId } = parseBody(revealBody, request.body);
      const session = vault.sessions.get(vault.cards.referenceOf(token) ?? '');
      const card = session?.paymentId === paymentId ? vault.cards.find(token, session, vault.now()) : null;
      if (!card || cardBehaviour(card.number) === 'tokenRejected') {
        throw new Refusal(404, 'token_not_found', 'There is no card under this token.');
      }
      return { ...card, cvvPresent: vault.cards.takeCvv(token, vault.now()) };
    });
  };
}
