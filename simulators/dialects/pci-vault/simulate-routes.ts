import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import { parseBody } from '../../server.ts';
import { requireAccount } from './auth.ts';
import { pciVaultFaultModes, type PciVaultContext } from './context.ts';

const faultBody = z.object({
  mode: z.enum(pciVaultFaultModes),
  count: z.int().min(1).max(1_000).default(1),
  on: z
    .enum(['capture.create', 'capture.delete', 'capture', 'vault.list', 'vault.delete', 'proxy'])
    .optional(),
  /** The reference of one payment's capture; any when absent. */
  reference: z.string().min(1).max(128).optional(),
});

/** Injects faults for the account's own tests, and counts the calls of each kind. */
export function simulateRoutes(vault: PciVaultContext): FastifyPluginAsync {
  return async (app) => {
    app.get('/stats', async () => ({ calls: Object.fromEntries(vault.calls) }));
    app.register(async (orders) => {
      orders.addHook('onRequest', requireAccount(vault));
      orders.post('/simulate/faults', async (request, reply) => {
        const { reference, ...fault } = parseBody(faultBody, request.body);
        vault.faults.add({ ...fault, merchantId: vault.user, paymentId: reference });
        return reply.code(204).send();
      });
      orders.delete('/simulate/faults', async (_request, reply) => {
        vault.faults.clear(vault.user);
        return reply.code(204).send();
      });
    });
  };
}
