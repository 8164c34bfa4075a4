import type { FastifyReply } from 'fastify';
import { setTimeout as pause } from 'node:timers/promises';
import { destroySocket, Refusal } from '../../server.ts';
import type { PciVaultContext, PciVaultFaultMode } from './context.ts';

/** The kinds of calls that faults can be injected into. */
export type CallKind =
  'capture.create' | 'capture.delete' | 'capture' | 'vault.list' | 'vault.delete' | 'proxy';

const SLOW_MS = 5_000;

/**
 * Runs `work` under the next injected fault and sends its result. Some faults prevent the effect; others lose
 * the answer after it.
 */
export async function withFault(
  vault: PciVaultContext,
  reply: FastifyReply,
  call: { kind: CallKind; reference: string },
  work: () => Promise<object>,
): Promise<void> {
  vault.calls.set(call.kind, (vault.calls.get(call.kind) ?? 0) + 1);
  const fault = vault.faults.take({
    merchantId: vault.user,
    environment: 'sandbox',
    paymentId: call.reference,
    on: call.kind,
  });
  if (fault && (await isAnsweredBefore(vault, reply, fault))) return;
  const answer = await work();
  if (fault !== 'noAnswer' && fault !== 'lostResponse') {
    void reply.send(answer);
    return;
  }
  await vault.flushed();
  if (fault === 'noAnswer') vault.holds.hold(reply);
  else destroySocket(reply);
}

async function isAnsweredBefore(
  vault: PciVaultContext,
  reply: FastifyReply,
  fault: PciVaultFaultMode,
): Promise<boolean> {
  switch (fault) {
    case 'timeout':
      vault.holds.hold(reply);
      return true;
    case 'error':
      throw new Refusal(500, 'internal_error', 'An ordered fault.');
    case 'rateLimited':
      void reply.header('retry-after', '2');
      throw new Refusal(429, 'too_many_requests', 'Too many requests.');
    case 'html':
      void reply.code(502).type('text/html').send('<html><body><h1>502 Bad Gateway</h1></body></html>');
      return true;
    case 'slow':
      await pause(SLOW_MS, undefined, { ref: false });
      return false;
    case 'noAnswer':
    case 'lostResponse':
      return false;
  }
}
