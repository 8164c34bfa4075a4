import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { Refusal } from '../server.ts';
import { parseCard } from './card-input.ts';
import { authoriseCapture, type Session } from './sessions.ts';
import type { VaultContext } from './context.ts';

interface CaptureRoute {
  Params: { reference: string };
}

/**
 * Registers card capture: by a merchant's backend with the capture secret, and by the vault's own frame with
 * the frame key. It sends no redirect and no CORS header. Spec: Endpoints > Card vault capture.
 */
export function captureRoutes(vault: VaultContext): FastifyPluginAsync {
  /** Authorizes before the body is read, so that the answer reveals nothing about the body. */
  const authorise = (request: FastifyRequest<CaptureRoute>, kind: 'secret' | 'frameKey'): Session => {
    const header = kind === 'secret' ? 'x-cardvault-capture-secret' : 'x-cardvault-frame-key';
    return authoriseCapture(
      vault.sessions,
      request.params.reference,
      { kind, value: request.headers[header] },
      vault.now(),
    );
  };

  const capture = (
    request: FastifyRequest<CaptureRoute>,
    kind: 'secret' | 'frameKey',
  ): { token: string; reference: string } => {
    const { card, cvv } = parseCard(request.body, vault.now());
    // Checked again in the same turn as the write: the session may have been revoked while the body arrived.
    const session = authorise(request, kind);
    const token = vault.cards.add(session, card, cvv, vault.now());
    return { token, reference: session.reference };
  };

  return async (app) => {
    app.post<CaptureRoute>(
      '/capture/:reference',
      { onRequest: async (request) => void authorise(request, 'secret') },
      async (request) => capture(request, 'secret'),
    );
    app.post<CaptureRoute>(
      '/frame/:reference/capture',
      {
        onRequest: async (request) => {
          if (!fromOwnPage(request, vault.publicUrl())) {
            throw new Refusal(401, 'unauthorized', 'The capture access is not valid.');
          }
          authorise(request, 'frameKey');
        },
      },
      async (request) => capture(request, 'frameKey'),
    );
  };
}

/** Returns whether a browser's request comes from the frame itself; only the frame may use its address. */
function fromOwnPage(request: FastifyRequest, publicUrl: string): boolean {
  const { origin } = request.headers;
  return origin === undefined || origin === new URL(publicUrl).origin;
}
