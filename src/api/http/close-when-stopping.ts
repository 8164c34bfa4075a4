import type { FastifyInstance } from 'fastify';

/**
 * Has every answer that is given while the app closes end its connection: one that a client kept open for its
 * next request would hold up the stop for as long as it pleases.
 */
export function closeWhenStopping(app: FastifyInstance): void {
  let stopping = false;
  app.addHook('preClose', async () => {
    stopping = true;
  });
  app.addHook('onSend', async (_request, reply) => {
    if (stopping) reply.header('connection', 'close');
  });
}
