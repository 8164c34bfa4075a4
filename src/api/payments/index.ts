import type { FastifyInstance } from 'fastify';
import { currentVersions } from '../../db/payments/payment-history.ts';
import type { ApiDeps } from '../deps.ts';
import { bodyLimits } from '../../http/body-limits.ts';
import { createPlaces } from '../../operations/concurrency-limit.ts';
import { capture } from './capture.ts';
import { checkout } from './checkout.ts';
import { confirm } from './confirm.ts';
import { create } from './create.ts';
import { list } from './list.ts';
import { pay } from './pay.ts';
import { retrieve } from './retrieve.ts';
import { status, waitBounds } from './status.ts';
import { createStatusWatch } from '../../operations/payments/status-watch.ts';
import { timeline } from './timeline.ts';

/** The eight payment endpoints, and the timeline. Spec: Endpoints; docs/readings.md. */
export function registerPayments(app: FastifyInstance, deps: ApiDeps): void {
  const watch = createStatusWatch({
    versionsOf: (ids) => currentVersions(deps.database, ids),
    onError: (error) => deps.logger.warn({ err: error }, 'changes of payments cannot be seen'),
  });
  const places = createPlaces(waitBounds);
  // Who waits is answered, and the process ends no later for it.
  app.addHook('preClose', async () => watch.stop());
  app.post('/v1/payments', { bodyLimit: bodyLimits.metadata }, create(deps));
  app.get('/v1/payments', list(deps));
  app.get('/v1/payments/:id', retrieve(deps));
  app.post('/v1/payments/:id/capture', { bodyLimit: bodyLimits.small }, capture(deps));
  app.get('/v1/payments/:id/checkout', checkout(deps));
  app.post('/v1/payments/:id/pay', pay(deps));
  app.post('/v1/payments/:id/confirm', { bodyLimit: bodyLimits.small }, confirm(deps));
  app.get('/v1/payments/:id/status', status(deps, { watch, places }));
  app.get('/v1/payments/:id/timeline', timeline(deps));
}
