import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { currentVersions } from '../../db/payments/payment-history.ts';
import { bodyLimits } from '../../http/body-limits.ts';
import type { TimelineDeps } from '../../operations/payments/timeline.ts';
import { createConcurrencyLimit } from '../../operations/concurrency-limit.ts';
import { capture, checkout } from './checkout.ts';
import { type ConfirmDeps, confirm } from './confirm.ts';
import { create } from './create.ts';
import { pay } from './pay.ts';
import { list, retrieve } from './read.ts';
import { status } from './status.ts';
import { createStatusWatch } from '../../operations/payments/status-watch.ts';
import { timeline } from './timeline.ts';
import { waitBounds } from './waiting.ts';

export type PaymentRouteDeps = Parameters<typeof create>[0] &
  Parameters<typeof list>[0] &
  Parameters<typeof capture>[0] &
  Parameters<typeof checkout>[0] &
  Parameters<typeof pay>[0] &
  ConfirmDeps &
  TimelineDeps & { logger: Pick<Logger, 'warn'> };

/** Registers the eight payment endpoints and the timeline. Spec: Endpoints; docs/readings.md. */
export function registerPayments(app: FastifyInstance, deps: PaymentRouteDeps): void {
  const watch = createStatusWatch({
    versionsOf: (ids) => currentVersions(deps.database, ids),
    onError: (error) => deps.logger.warn({ err: error }, 'changes of payments cannot be read'),
  });
  const waitLimit = createConcurrencyLimit(waitBounds);
  // Answers the waiting callers, so that they do not delay the stop of the process.
  app.addHook('preClose', async () => watch.stop());
  app.post('/v1/payments', { bodyLimit: bodyLimits.creation }, create(deps));
  app.get('/v1/payments', list(deps));
  app.get('/v1/payments/:id', retrieve(deps, { watch, waitLimit }));
  app.post('/v1/payments/:id/capture', { bodyLimit: bodyLimits.small }, capture(deps));
  app.get('/v1/payments/:id/checkout', checkout(deps));
  app.post('/v1/payments/:id/pay', pay(deps));
  app.post('/v1/payments/:id/confirm', { bodyLimit: bodyLimits.small }, confirm(deps));
  app.get('/v1/payments/:id/status', status(deps, { watch, waitLimit }));
  app.get('/v1/payments/:id/timeline', timeline(deps));
}
