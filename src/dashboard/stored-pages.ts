import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Keyring } from '../crypto/keyring.ts';
import { sealContext } from '../crypto/seal-contexts.ts';
import {
  findStoredAnswer,
  type StoredPageKind,
  storePage,
  takeStoredForm,
} from '../db/members/stored-pages.ts';
import type { Database } from '../db/server/database.ts';
import { environments } from '../domain/statuses.ts';
import { sendHtml } from '../http/html-reply.ts';
import { isUuid } from '../http/request.ts';
import { refererPath } from './parts/referer-path.ts';
import { messagePage } from './parts/message-page.tsx';
import { texts } from './texts/en.ts';
import { dashboardPolicy, type Visit } from './visit.ts';

/*
 * Every form is answered by a redirect, so that Back and reload never send it again. The redirect leads to
 * the page of the result, or to the stored page with the reason for a refusal. A form that needs a
 * confirmation first is stored too.
 */

export interface StoredPagesDeps {
  database: Database;
  keyring: Keyring;
}

/** The parameter with which an address names a stored page. */
const answerParameter = 'answer-id';

interface StoredAnswer {
  status: number;
  html: string;
  /** Absent if an earlier version stored the page. */
  framesItself?: boolean;
}

interface StoredForm {
  path: string;
  /** The page that contains the form; a refusal leads back to it. */
  page: string;
  /** Without its CSRF token. */
  fields: [name: string, value: string][];
}

async function storeContent(
  { database, keyring }: StoredPagesDeps,
  memberId: string,
  kind: StoredPageKind,
  content: StoredAnswer | StoredForm,
): Promise<string> {
  const id = randomUUID();
  const sealed = keyring.seal(JSON.stringify(content), sealContext.keptPage(memberId, id));
  await storePage(database, memberId, { id, kind, sealed });
  return id;
}

/** Returns the stored content; null if there is none, or if the key that sealed it was removed meanwhile. */
function openContent(
  { keyring }: StoredPagesDeps,
  memberId: string,
  id: string,
  sealed: Buffer | null,
): unknown {
  if (sealed === null) return null;
  try {
    return JSON.parse(keyring.open(sealed, sealContext.keptPage(memberId, id)));
  } catch {
    return null;
  }
}

/**
 * Returns a hook that stores the page with which a signed-in member's form is answered, and redirects to it.
 * A page that cannot be stored is sent directly.
 */
export const redirectToAnswer =
  (deps: StoredPagesDeps) =>
  async (request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> => {
    const { environment: place } = request.params as { environment?: string };
    const environment = environments.find((name) => name === place);
    const isPage = String(reply.getHeader('content-type')).startsWith('text/html');
    const { member, method } = request;
    if (method !== 'POST' || !isPage || member === null || environment === undefined) return payload;
    if (typeof payload !== 'string') return payload;
    try {
      const framesItself = String(reply.getHeader('content-security-policy')).includes('frame-src');
      const answer: StoredAnswer = { status: reply.statusCode, html: payload, framesItself };
      const id = await storeContent(deps, member.member.id, 'answer', answer);
      const page = new URL(refererPath(request, `/dashboard/${environment}`), 'http://localhost');
      page.searchParams.set(answerParameter, id);
      void reply.status(303).header('Location', `${page.pathname}${page.search}`);
      return '';
    } catch (error) {
      request.log.warn({ err: error }, 'the answer to a form could not be kept');
      return payload;
    }
  };

/** Sends the stored page that an address names; returns null if it names none, or one that has expired. */
export async function sendStoredAnswer(
  deps: StoredPagesDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | null> {
  const { [answerParameter]: id } = request.query as Record<string, unknown>;
  const memberId = request.member?.member.id;
  if (typeof id !== 'string' || !isUuid(id) || memberId === undefined) return null;
  const sealed = await findStoredAnswer(deps.database, memberId, id);
  const answer = openContent(deps, memberId, id, sealed) as StoredAnswer | null;
  if (answer === null) return null;
  const { status, html, framesItself = false } = answer;
  void reply.header('Referrer-Policy', 'same-origin');
  return sendHtml(request, reply, status, html, { ...dashboardPolicy, framesItself });
}

/**
 * Stores the form of a visit, and returns the page on which its member confirms their identity. The form is
 * sent after that. "Go back" leads to the page of the form.
 */
export async function confirmPathOfForm(deps: StoredPagesDeps, visit: Visit): Promise<string> {
  const fields = [...visit.form].filter(([name]) => name !== 'csrf');
  const { base } = visit.frame;
  const back = refererPath(visit.request, base);
  const form: StoredForm = { path: visit.request.raw.url ?? '', page: back, fields };
  const id = await storeContent(deps, visit.session.member.id, 'form', form);
  const to = `${base}/continue?form=${id}`;
  return `${base}/confirm?${new URLSearchParams({ to, back }).toString()}`;
}

/** The browser's headers that are sent with a stored form. */
const sentHeaders = ['cookie', 'user-agent', 'x-forwarded-for', 'x-forwarded-proto', 'host'];

/**
 * GET /continue: sends a stored form once its member has confirmed their identity, and relays the answer. The
 * form had a valid CSRF token when it was stored.
 */
export async function continueForm(deps: StoredPagesDeps, visit: Visit): Promise<FastifyReply> {
  const { request, reply, session, frame } = visit;
  const id = visit.query.get('form') ?? '';
  const memberId = session.member.id;
  const sealed = isUuid(id) ? await takeStoredForm(deps.database, memberId, id) : null;
  const form = openContent(deps, memberId, id, sealed) as StoredForm | null;
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
