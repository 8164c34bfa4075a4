import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ComponentChildren } from 'preact';
import { requestedAction } from './parts/confirmation.tsx';
import { usableZone } from './parts/days.ts';
import { type FramedPage, renderPage } from './parts/document.tsx';
import { longestPath } from './parts/safe-redirect-path.ts';
import type { Frame, Notice } from './parts/view.ts';
import type { Session } from '../db/members/member-sessions.ts';
import type { Tenant } from '../db/payments/payments.ts';
import type { Actor, By } from '../domain/audit.ts';
import { freshSignInMs, may } from '../domain/members.ts';
import type { Environment } from '../domain/statuses.ts';
import { callerAddress } from '../http/request.ts';
import { sendHtml } from '../http/html-reply.ts';
import { type NoticeName, formNotice } from './parts/notices.ts';

/** One request of a signed-in member, in one environment. */
export interface Visit {
  request: FastifyRequest;
  reply: FastifyReply;
  session: Session;
  tenant: Tenant;
  /** The author of changes, for the audit log. */
  actor: Actor;
  frame: Frame;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** The fields of the form; empty for pages. */
  form: URLSearchParams;
}

/** The clock. */
export interface Clock {
  /** Epoch ms. */
  now: () => number;
}

/** Returns the visit of a request. `sendPage` adds the CSRF token of its forms. */
export function visitOf(
  deps: Clock,
  request: FastifyRequest,
  reply: FastifyReply,
  session: Session,
  environment: Environment,
): Visit {
  const { member } = session;
  const url = request.raw.url ?? '';
  const at = url.indexOf('?');
  const query = new URLSearchParams(at === -1 ? '' : url.slice(at + 1));
  return {
    request,
    reply,
    session,
    tenant: { merchantId: member.merchantId, environment },
    actor: { kind: 'member', id: member.id, name: member.name, address: callerAddress(request) },
    frame: {
      base: `/dashboard/${environment}`,
      environment,
      merchantName: session.merchantName,
      memberName: member.name,
      role: member.role,
      may: (permission) => may(member.role, permission),
      csrf: '',
      nowMs: deps.now(),
      attacked: session.attacked,
      timeZone: usableZone(session.timeZones[environment]),
      // A refused form shows its error instead of a confirmation.
      requested: request.method === 'GET' ? requestedAction(query) : null,
      rejected: null,
      freshForMs: Math.max(0, session.confirmedAt.getTime() + freshSignInMs - deps.now()),
    },
    params: (request.params ?? {}) as Record<string, string>,
    query,
    form: request.form ?? new URLSearchParams(),
  };
}

/** Returns the author and instant of a change of this visit. */
export const byOf = (deps: Clock, visit: Visit): By => ({
  actor: visit.actor,
  at: new Date(deps.now()),
});

/** Whether the member confirmed their identity recently. */
export const isFresh = (deps: Clock, { session }: Visit): boolean =>
  deps.now() - session.confirmedAt.getTime() < freshSignInMs;

/** Sends a page in the dashboard's frame. */
export async function sendPage(
  visit: Visit,
  page: FramedPage & { status?: number; framesItself?: boolean },
  body: (frame: Frame) => ComponentChildren,
): Promise<FastifyReply> {
  const { request, reply, form } = visit;
  const notice: Notice | null = page.notice ?? formNotice(visit.query.get('done'));
  const isRejected = request.method === 'POST' && notice?.kind === 'bad';
  const [path = ''] = (request.raw.url ?? '').split('?', 1);
  const rejected = isRejected ? { path, typed: form } : null;
  const frame: Frame = { ...visit.frame, csrf: reply.generateCsrf(), rejected };
  // Within the dashboard a form sends its page, so that a member returns there after confirming their
  // identity.
  void reply.header('Referrer-Policy', 'same-origin');
  const html = renderPage(frame, { ...page, notice }, body(frame));
  const { framesItself = false } = page;
  return sendHtml(request, reply, page.status ?? 200, html, { ...dashboardPolicy, framesItself });
}

/** The resources that pages of the dashboard may load: their own style and script, and logos. */
export const dashboardPolicy = { script: true, forms: true, images: true, plain: true } as const;

/**
 * Redirects to another page, which shows the result. `path` is below the environment's own path. An address
 * that is too long loses its query.
 */
export function redirectTo(visit: Visit, path: string, done?: NoticeName): FastifyReply {
  const { base } = visit.frame;
  const [page = ''] = path.split('?', 1);
  const target = base.length + path.length <= longestPath ? path : page;
  const mark = target.includes('?') ? '&' : '?';
  const query = done === undefined ? '' : `${mark}done=${done}`;
  return visit.reply.redirect(`${base}${target}${query}`, 303);
}
