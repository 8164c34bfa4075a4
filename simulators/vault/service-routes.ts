import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CallOwner, faultOrder } from '../faults.ts';
import { destroySocket, parseBody, Refusal, requireBearer } from '../server.ts';
import { claimBody, claimToken } from './claims.ts';
import { registerSession, revokeSession, sessionBody } from './sessions.ts';
import { type VaultContext, vaultFaultModes } from './context.ts';

const faultBody = faultOrder(vaultFaultModes);

interface ReferenceRoute {
  Params: { reference: string };
}

const SLOW_MS = 5_000;

/** Registers the payment service's calls: register, revoke and claim, behind the service key. */
export function serviceRoutes(vault: VaultContext): FastifyPluginAsync {
  /** Runs `work` under the next injected fault. Returns null when the answer was held or cut. */
  const withFault = async <Answer>(
    reply: FastifyReply,
    call: CallOwner,
    work: () => Answer,
  ): Promise<Answer | null> => {
    const fault = vault.faults.take(call);
    if (fault === 'timeout') {
      vault.holds.hold(reply);
      return null;
    }
    if (fault === 'error') throw new Refusal(500, 'internal_error', 'An ordered fault.');
    if (fault === 'slow') await sleep(SLOW_MS);
    const answer = work();
    if (fault !== 'lostResponse') return answer;
    await vault.flushed();
    destroySocket(reply);
    return null;
  };

  return async (app) => {
    app.addHook('onRequest', requireBearer(vault.serviceKey));

    app.put<ReferenceRoute>('/service/sessions/:reference', async (request, reply) => {
      const reference = parseReference(request.params.reference);
      const body = parseBody(sessionBody, request.body);
      const answer = await withFault(reply, body, () => {
        registerSession(vault.sessions, reference, body, vault.now());
        return { reference, captureUrl: `${vault.publicUrl()}/capture/${reference}` };
      });
      return answer ?? reply;
    });

    app.post<ReferenceRoute>('/service/sessions/:reference/revoke', async (request, reply) => {
      revokeSession(vault.sessions, request.params.reference, vault.now());
      return reply.code(204).send();
    });

    app.post<ReferenceRoute>('/service/sessions/:reference/claim', async (request, reply) => {
      const claim = parseBody(claimBody, request.body);
      const answer = await withFault(reply, claim, () =>
        claimToken(vault, request.params.reference, claim, vault.now()),
      );
      return answer ?? reply;
    });

    app.post('/service/faults', async (request) => {
      vault.faults.add(parseBody(faultBody, request.body));
      return { faults: vault.faults.list() };
    });
    app.get('/service/faults', async () => ({ faults: vault.faults.list() }));
    app.delete('/service/faults', async (_request, reply) => {
      vault.faults.clear();
      return reply.code(204).send();
    });
  };
}

/** 1-31 characters that need no escaping in an address (LIMIT-17). */
function parseReference(reference: string): string {
  if (/^[A-Za-z0-9_-]{1,31}$/.test(reference)) return reference;
  throw new Refusal(
    400,
    'invalid_request',
    'The reference must be 1-31 characters of A-Z a-z 0-9 _ -.',
    'reference',
  );
}
