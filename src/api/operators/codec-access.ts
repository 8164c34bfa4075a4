import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const cookieName = 'card-payments-codec';
/** How long an operator stays signed in, in seconds. */
const cookieSeconds = 12 * 3600;
const contentSecurityPolicy =
  "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Decides who may decrypt and encrypt payloads, and from which browser page. */
export interface CodecAccess {
  isAllowed(request: FastifyRequest): boolean;
  /** Allows the Temporal UI's own origin, and no other, to read the answer. */
  allowOrigin(request: FastifyRequest, reply: FastifyReply): void;
}

/**
 * Returns the codec's access check. It accepts the token as a bearer token (Temporal's command line), or the
 * cookie that `/codec/login` sets for it (the Temporal UI, which can send cookies but no token of this
 * service). Without a token it accepts every caller if `open`.
 */
export function createCodecAccess(options: {
  token: string | undefined;
  open: boolean;
  uiUrl: string | undefined;
  /** Epoch ms. */
  now: () => number;
}): CodecAccess {
  const { token, open, uiUrl, now } = options;
  const uiOrigin = uiUrl === undefined ? null : new URL(uiUrl).origin;

  const bearerFits = (request: FastifyRequest, expected: string): boolean =>
    equal(request.headers.authorization ?? '', `Bearer ${expected}`);
  const cookieFits = (request: FastifyRequest, expected: string): boolean => {
    const sent = (request.headers.cookie ?? '')
      .split(';')
      .map((part) => part.trim())
      .find((part) => part.startsWith(`${cookieName}=`));
    const [until = '', ...rest] = (sent?.slice(cookieName.length + 1) ?? '').split('.');
    return rest.length === 1 && equal(rest[0] ?? '', proof(expected, until)) && now() < Number(until) * 1000;
  };

  return {
    isAllowed: (request) =>
      token === undefined ? open : bearerFits(request, token) || cookieFits(request, token),
    allowOrigin(request, reply) {
      const { origin } = request.headers;
      if (origin === undefined || origin !== uiOrigin) return;
      const asked = request.headers['access-control-request-headers'];
      void reply.headers({
        'Access-Control-Allow-Origin': origin,
        'Access-Control-Allow-Methods': 'POST',
        'Access-Control-Allow-Headers': asked ?? 'content-type, x-namespace, authorization',
        'Access-Control-Allow-Credentials': 'true',
        Vary: 'Origin, Access-Control-Request-Headers',
      });
    },
  };
}

/**
 * Registers GET and POST /codec/login: a form for the token, and the cookie for it. Does nothing without a
 * token.
 */
export function registerCodecLogin(
  app: FastifyInstance,
  { token, now }: { token: string | undefined; now: () => number },
): void {
  if (token === undefined) return;
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: 4 * 1024 },
    (_request, body, done) => done(null, new URLSearchParams(String(body))),
  );
  const page = (reply: FastifyReply, status: number, body: string) =>
    reply
      .status(status)
      .headers({
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': contentSecurityPolicy,
        'Cache-Control': 'no-store',
      })
      .send(`<!doctype html><html lang="en"><title>Codec</title><h1>Codec</h1>${body}</html>`);
  const form =
    '<form method="post"><label>Codec token <input type="password" name="token" required autofocus></label> <button>Sign in</button></form>';

  app.get('/codec/login', (_request, reply) => page(reply, 200, form));
  app.post('/codec/login', (request, reply) => {
    const sent = request.body instanceof URLSearchParams ? (request.body.get('token') ?? '') : '';
    if (!equal(sent, token)) return page(reply, 401, `<p role="alert">This is not the token.</p>${form}`);
    const until = String(Math.floor(now() / 1000) + cookieSeconds);
    const secure = request.headers['x-forwarded-proto'] === 'https' ? '; Secure' : '';
    // Strict: only pages of the same site send the cookie, so the Temporal UI must be on that site.
    const attributes = `Path=/codec; Max-Age=${cookieSeconds}; HttpOnly; SameSite=Strict${secure}`;
    void reply.header('Set-Cookie', `${cookieName}=${until}.${proof(token, until)}; ${attributes}`);
    return page(reply, 200, '<p>Signed in for twelve hours. Payloads are readable in the Temporal UI.</p>');
  });
}

/** Returns the value of a cookie, which proves that its owner knew the token. */
const proof = (token: string, until: string): string =>
  createHmac('sha256', token).update(`codec ${until}`).digest('base64url');

function equal(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
