import type { ServerOptions } from 'node:http';
import { isIP } from 'node:net';
import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import {
  closeWhenStopping,
  type ServerBounds,
  createBoundedServer,
  refuseMalformed,
} from '../../http/server.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import { type Database, answers } from '../../db/server/database.ts';
import type { Hold } from '../../db/server/restore-watch.ts';
import { createCodecAccess, registerCodecLogin } from './codec-access.ts';
import { createPayloadCodec, showUnsealed } from '../../temporal/payload-codec.ts';
import type { MetricsPage } from '../../metrics/page.ts';

/** A payload as the Temporal UI sends it: bytes in base64. */
interface JsonPayload {
  metadata?: Record<string, string>;
  data?: string;
}

/** The body limit of the codec: a page of a history, as the Temporal UI sends it. */
const codecBodyBytes = 8 * 1024 * 1024;

const httpOptions: ServerOptions = {
  requestTimeout: 10_000,
  headersTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
};

/** The port serves only a few operators, probes and scrapers. docs/security.md, "Floods". */
const operatorBounds: ServerBounds = {
  maxConnections: 100,
  maxUnanswered: 16,
  idleTimeoutMs: 30_000,
  writeTimeoutMs: 15_000,
  keepAliveTimeoutMs: 65_000,
};

/**
 * Returns the app of the operators' port: health, metrics, and the codec endpoint that decrypts payloads for
 * the Temporal UI. It must never be public.
 */
export function buildOperatorApp(deps: {
  database: Database;
  client: Client;
  keyring: Keyring;
  /** The token of the codec's callers. Without one the codec is open to every caller if `openCodec`. */
  codecToken: string | undefined;
  openCodec: boolean;
  /** The one origin that may read decoded payloads from a browser. */
  temporalUiUrl: string | undefined;
  metrics: MetricsPage;
  /** Whether the process will stop listening soon. Proxies must then send no more requests to it. */
  drain: { begun: boolean };
  /** Whether writes are held after a restore. Shown as `restored` in the answer; the process stays ready. */
  hold: Hold;
  /** Epoch ms. */
  now: () => number;
}): FastifyInstance {
  const { database, client, codecToken, temporalUiUrl, metrics } = deps;
  const app = fastify({
    logger: false,
    clientErrorHandler: (_error, socket) => refuseMalformed(socket, false),
    bodyLimit: codecBodyBytes,
    forceCloseConnections: 'idle',
    serverFactory: (handler) => createBoundedServer(operatorBounds, httpOptions, handler),
  });
  closeWhenStopping(app);
  const codec = createPayloadCodec(deps.keyring, showUnsealed);

  if (deps.openCodec && codecToken === undefined) app.addHook('onRequest', refuseForeignHost);

  app.get('/healthz', async () => ({ ok: true }));
  app.get('/readyz', async (_request, reply) => {
    const checks = {
      serving: !deps.drain.begun,
      database: await answers(database),
      temporal: await passes(() =>
        client.connection.withDeadline(Date.now() + 1_000, () =>
          client.connection.workflowService.getSystemInfo({}),
        ),
      ),
    };
    return reply.status(Object.values(checks).every(Boolean) ? 200 : 503).send({
      ...checks,
      ...(deps.hold.begun ? { restored: true } : {}),
    });
  });
  app.get('/metrics', async (_request, reply) =>
    reply.header('Content-Type', metrics.contentType).send(await metrics.text()),
  );

  const access = createCodecAccess({
    token: codecToken,
    open: deps.openCodec,
    uiUrl: temporalUiUrl,
    now: deps.now,
  });
  registerCodecLogin(app, { token: codecToken, now: deps.now });
  const each = {
    // A payload that cannot be decrypted is shown unchanged.
    decode: (payload: Payload) => codec.decode([payload]).catch(() => [payload]),
    encode: (payload: Payload) => codec.encode([payload]),
  };
  for (const [name, convert] of Object.entries(each)) {
    app.options(`/codec/${name}`, async (request, reply) => {
      access.allowOrigin(request, reply);
      return reply.status(204).send();
    });
    app.post<{ Body: { payloads?: JsonPayload[] } | null }>(`/codec/${name}`, async (request, reply) => {
      access.allowOrigin(request, reply);
      if (!access.isAllowed(request)) {
        return reply
          .status(401)
          .send({ error: 'the codec endpoint needs its token, or a login at /codec/login' });
      }
      const payloads = (request.body?.payloads ?? []).map(fromJson);
      const converted = await Promise.all(payloads.map(convert));
      return { payloads: converted.flat().map(toJson) };
    });
  }
  return app;
}

/**
 * Refuses requests to other host names. Without a token, only the browsers' same-origin policy protects the
 * codec from other websites, and a host name that resolves to this address (DNS rebinding) would bypass it.
 * Addresses and `localhost` cannot be used for that.
 */
async function refuseForeignHost(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { hostname } = request;
  if (hostname === 'localhost' || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return;
  await reply.status(421).send({ error: 'ask by address or as localhost, or set CODEC_TOKEN' });
}

const fromJson = (payload: JsonPayload): Payload => ({
  metadata: Object.fromEntries(
    Object.entries(payload.metadata ?? {}).map(([name, value]) => [name, Buffer.from(value, 'base64')]),
  ),
  data: Buffer.from(payload.data ?? '', 'base64'),
});

const toJson = (payload: Payload): JsonPayload => ({
  metadata: Object.fromEntries(
    Object.entries(payload.metadata ?? {}).map(([name, value]) => [
      name,
      Buffer.from(value).toString('base64'),
    ]),
  ),
  data: Buffer.from(payload.data ?? []).toString('base64'),
});

async function passes(check: () => Promise<unknown>): Promise<boolean> {
  try {
    await check();
    return true;
  } catch {
    return false;
  }
}
