import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { readFile } from 'node:fs/promises';
import { sendPage, type Html } from '../html.ts';
import { donePage, neutralPage } from '../pages.ts';
import type { NetworkContext } from './context.ts';
import { defaultFailureCode } from './charge-rules.ts';
import { challengePage, pixPage, walletPage } from './pages.ts';
import type { Charge, Step } from './records.ts';
import { answerChallenge } from './finish-charge.ts';

interface PageRoute {
  Params: { id: string };
}

/**
 * Registers the pages that a customer is sent to: the issuer's challenge, the wallet and the sandbox's pix
 * settlement. The address is the permission. Only the site that a page returns to may frame it. Every choice
 * is a plain form post.
 */
export function pageRoutes(network: NetworkContext): FastifyPluginAsync {
  const { ledger } = network;

  const show = (kind: Step['kind'], openPage: (charge: Charge) => Html) => {
    return async (request: FastifyRequest<PageRoute>, reply: FastifyReply) => {
      const charge = find(network, kind, request.params.id);
      if (!charge) return sendPage(reply.code(404), neutralPage(), { frameAncestors: [] });
      return sendPage(reply, isOpen(charge) ? openPage(charge) : donePage(charge.returnUrl), {
        frameAncestors: ancestors(charge),
        formAction: [new URL(charge.returnUrl).origin],
      });
    };
  };

  const answer = (
    kind: Step['kind'],
    act: (charge: Charge, result: string) => void,
    returnsTo: (charge: Charge) => string,
  ) => {
    return async (request: FastifyRequest<PageRoute>, reply: FastifyReply) => {
      const charge = find(network, kind, request.params.id);
      if (!charge) return sendPage(reply.code(404), neutralPage(), { frameAncestors: [] });
      if (isOpen(charge)) act(charge, chosen(request.body));
      return reply.code(303).header('location', returnsTo(charge)).send();
    };
  };

  const challenge = (charge: Charge, result: string): void => {
    if (result === 'approve') answerChallenge(ledger, charge, 'authenticated');
    if (result === 'fail') answerChallenge(ledger, charge, 'failed');
  };

  const pay = (charge: Charge, result: string): void => {
    if (result !== 'approve' && result !== 'decline') return;
    const outcome = result === 'approve' ? 'captured' : 'declined';
    const failureCode = defaultFailureCode(charge.method, outcome);
    ledger.notifyCharge(ledger.saveCharge(ledger.outcome(charge, outcome, failureCode)));
  };

  return async (app) => {
    const styles = await readFile(new URL('./pages.css', import.meta.url), 'utf8');
    app.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      (_request, body, done) => {
        done(null, Object.fromEntries(new URLSearchParams(String(body))));
      },
    );
    app.get('/assets/pages.css', async (_request, reply) =>
      reply.type('text/css; charset=utf-8').send(styles),
    );
    app.get('/challenge/:id', show('threeDS', challengePage));
    app.post(
      '/challenge/:id',
      answer('threeDS', challenge, (charge) => charge.returnUrl),
    );
    app.get('/wallet/:id', show('wallet', walletPage));
    app.post(
      '/wallet/:id',
      answer('wallet', pay, (charge) => charge.returnUrl),
    );
    app.get('/pix/:id', show('pix', pixPage));
    // A pix is paid on another device than the one that shows the checkout, so there is no page to return to.
    app.post(
      '/pix/:id',
      answer('pix', pay, (charge) => `/pix/${charge.step?.pageId ?? ''}`),
    );
  };
}

function find(network: NetworkContext, kind: Step['kind'], pageId: string): Charge | null {
  const charge = network.ledger.chargeOfPage(pageId);
  // The page of an earlier step of the same charge is refused like the page of a voided charge.
  if (!charge || charge.status === 'voided' || charge.step?.kind !== kind || charge.step.pageId !== pageId)
    return null;
  return charge;
}

/** Whether the customer's answer still counts. */
function isOpen({ status, step }: Charge): boolean {
  if (step?.kind === 'threeDS') return status === 'requires_action' && step.state === 'open';
  return status === 'requires_action' || (step?.kind === 'pix' && status === 'pending');
}

function ancestors(charge: Charge): string[] {
  return [charge.returnUrl, ...charge.ancestorOrigins].map((url) => new URL(url).origin);
}

function chosen(body: unknown): string {
  return typeof body === 'object' && body !== null && 'result' in body ? String(body.result) : '';
}
