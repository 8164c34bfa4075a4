import type { FastifyInstance } from 'fastify';
import type { ApiDeps } from '../../deps.ts';
import { actionPage, actionReturn } from './action.ts';
import { pageAsset } from './assets.ts';
import { networkCallback } from './network-callback.ts';

/** What browsers and the network reach: no API key, the URL's secret or a signature is the credential. */
export function registerPages(app: FastifyInstance, deps: ApiDeps): void {
  app.get('/a/:token', actionPage(deps));
  app.get('/a/:token/return', actionReturn(deps));
  app.get('/assets/page.css', pageAsset('page.css', 'text/css; charset=utf-8'));
  app.post('/callbacks/network', networkCallback(deps));
}
