import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Keyring } from '../crypto/keyring.ts';
import { sealContext } from '../crypto/seal-contexts.ts';
import { findKeptAnswer, type KeptKind, keepPage, takeKeptForm } from '../db/members/kept-pages.ts';
import type { Database } from '../db/server/database.ts';
import { environments } from '../domain/statuses.ts';
import { sendHtml } from '../http/html-reply.ts';
import { isUuid } from '../http/request.ts';
import { refererPath } from './parts/referer-path.ts';
import { messagePage } from './parts/message-page.tsx';
import { texts } from './texts/en.ts';
import { dashboardPolicy, type Visit } from './visit.ts';

/*
 * Every form is answered by a redirect, so that Back and reload never send it again: to the page of what it
 * did, or to the kept page that says why it was refused. A form that needs a confirmation first is kept too.
 */

export interface KeptPagesDeps {
  database: Database;
  keyring: Keyring;
}

/** The parameter of an address that names a kept page. */
const answerParameter = 'answer-id';

interface KeptAnswer {
  status: number;
  html: string;
  /** Absent: kept by an earlier version. */
  framesItself?: boolean;
}

interface KeptForm {
  path: string;
  /** The page that it is on, to which a refusal leads. */
  page: string;
  /** Without its CSRF token. */
  fields: [name: string, value: string][];
}

async function keep(
  { database, keyring }: KeptPagesDeps,
  memberId: string,
  kind: KeptKind,
  content: KeptAnswer | KeptForm,
): Promise<string> {
  const id = randomUUID();
  const sealed = keyring.seal(JSON.stringify(content), sealContext.keptPage(memberId, id));
  await keepPage(database, memberId, { id, kind, sealed });
  return id;
}

/** Returns what was kept; null for nothing, and where the key that sealed it was removed meanwhile. */
function opened({ keyring }: KeptPagesDeps, memberId: string, id: string, sealed: Buffer | null): unknown {
  if (sealed === null) return null;
  try {
    return JSON.parse(keyring.open(sealed, sealContext.keptPage(memberId, id)));
  } catch {
    return null;
  }
}

/**
 * Returns a hook that keeps the page with which a form of a signed-in member is answered, and redirects to
 * it. A page that cannot be kept is sent as it is.
 */
export const redirectToAnswer =
  (deps: KeptPagesDeps) =>
  async (request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> => {
    const { environment: place } = request.params as { environment?: string };
    const environment = environments.find((name) => name === place);
    const isPage = String(reply.getHeader('content-type')).startsWith('text/html');
    const { member, method } = request;
    if (method !== 'POST' || !isPage || member === null || environment === undefined) return payload;
    if (typeof payload !== 'string') return payload;
    try {
      const framesItself = String(reply.getHeader('content-security-policy')).includes('frame-src');
      const answer: KeptAnswer = { status: reply.statusCode, html: payload, framesItself };
      const id = await keep(deps, member.member.id, 'answer', answer);
      const page = new URL(refererPath(request, `/dashboard/${environment}`), 'http://localhost');
      page.searchParams.set(answerParameter, id);
      void reply.status(303).header('Location', `${page.pathname}${page.search}`);
      return '';
    } catch (error) {
      request.log.warn({ err: error }, 'the answer to a form could not be kept');
      return payload;
    }
  };

/** Sends the kept page that an address names; null where it names none, or one that is over. */
export async function sendKeptAnswer(
  deps: KeptPagesDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | null> {
  const { [answerParameter]: id } = request.query as Record<string, unknown>;
  const memberId = request.member?.member.id;
  if (typeof id !== 'string' || !isUuid(id) || memberId === undefined) return null;
  const sealed = await findKeptAnswer(deps.database, memberId, id);
  const answer = opened(deps, memberId, id, sealed) as KeptAnswer | null;
  if (answer === null) return null;
  const { status, html, framesItself = false } = answer;
  void reply.header('Referrer-Policy', 'same-origin');
  return sendHtml(request, reply, status, html, { ...dashboardPolicy, framesItself });
}

/**
 * Keeps the form of a visit, and returns the page on which its member confirms who they are. The form is sent
 * after that; "Go back" leads to the page of the form.
 */
export async function confirmPathOfForm(deps: KeptPagesDeps, visit: Visit): Promise<string> {
  const fields = [...visit.form].filter(([name]) => name !== 'csrf');
  const { base } = visit.frame;
  const back = refererPath(visit.request, base);
  const form: KeptForm = { path: visit.request.raw.url ?? '', page: back, fields };
  const id = await keep(deps, visit.session.member.id, 'form', form);
  const to = `${base}/continue?form=${id}`;
  return `${base}/confirm?${new URLSearchParams({ to, back }).toString()}`;
}

/** Headers of the browser that a kept form is sent with. */
const sentHeaders = ['cookie', 'user-agent', 'x-forwarded-for', 'x-forwarded-proto', 'host'];

/**
 * GET /continue: sends a form that was kept until its member confirmed who they are, once, and relays its
 * answer. The form had a valid CSRF token when it was kept.
 */
export async function continueForm(deps: KeptPagesDeps, visit: Visit): Promise<FastifyReply> {
  const { request, reply, session, frame } = visit;
  const id = visit.query.get('form') ?? '';
  const memberId = session.member.id;
  const sealed = isUuid(id) ? await takeKeptForm(deps.database, memberId, id) : null;
  const form = opened(deps, memberId, id, sealed) as KeptForm | null;
  if (form === null) {
    const html = messagePage(texts.signIn.continuedTitle, texts.signIn.continuedText);
    return sendHtml(request, reply, 200, html, dashboardPolicy);
  }
  const { path, page, fields } = form;
  const body = new URLSearchParams([...fields, ['csrf', reply.generateCsrf()]]);
  const answer = await request.server.inject({
    method: 'POST',
    url: path,
    remoteAddress: request.socket.remoteAddress ?? '127.0.0.1',
    headers: {
      ...Object.fromEntries(Object.entries(request.headers).filter(([name]) => sentHeaders.includes(name))),
      referer: new URL(page, 'http://localhost').href,
      'content-type': 'application/x-www-form-urlencoded',
    },
    payload: body.toString(),
  });
  const { location, 'set-cookie': cookies } = answer.headers;
  if (cookies !== undefined) void reply.header('Set-Cookie', cookies);
  return reply.redirect(location ?? frame.base, 303);
}
