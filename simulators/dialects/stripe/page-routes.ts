import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { readFile } from 'node:fs/promises';
import { sendPage } from '../../html.ts';
import { CHALLENGE_CHOICES, choicePage, donePage, neutralPage } from '../../pages.ts';
import { answerChallenge } from './charging.ts';
import type { StripeContext } from './context.ts';
import { decodeForm } from './form.ts';
import type { Intent } from './records.ts';

interface PageRoute {
  Params: { id: string };
}

/** Registers the issuer's challenge (`next_action.redirect_to_url`). The address is the permission. */
export function pageRoutes({ ledger, together, publicUrl }: StripeContext): FastifyPluginAsync {
  const find = (request: FastifyRequest<PageRoute>): Intent | null => {
    const intent = ledger.intentOfPage(request.params.id);
    return intent?.step?.pageId === request.params.id && intent.status !== 'canceled' ? intent : null;
  };
  const notFound = (reply: FastifyReply) => sendPage(reply.code(404), neutralPage(), { frameAncestors: [] });

  return async (app) => {
    const styles = await readFile(new URL('../../network/pages.css', import.meta.url), 'utf8');
    app.get('/assets/pages.css', async (_request, reply) =>
      reply.type('text/css; charset=utf-8').send(styles),
    );

    app.get<PageRoute>('/challenge/:id', async (request, reply) => {
      const intent = find(request);
      if (!intent) return notFound(reply);
      const origins = intent.returnUrl === null ? [] : [new URL(intent.returnUrl).origin];
      const isOpen = intent.status === 'requires_action' && intent.step?.state === 'open';
      const page = isOpen ? challengePage(intent) : donePage(returnTo(intent, publicUrl()));
      return sendPage(reply, page, { frameAncestors: origins, formAction: origins });
    });

    app.post<PageRoute>('/challenge/:id', async (request, reply) => {
      const intent = find(request);
      if (!intent) return notFound(reply);
      const chosen = decodeForm(typeof request.body === 'string' ? request.body : '')?.['result'];
      if (chosen === 'approve') together(() => answerChallenge(ledger, intent, 'authenticated'));
      if (chosen === 'fail') together(() => answerChallenge(ledger, intent, 'failed'));
      return reply.code(303).header('location', returnTo(intent, publicUrl())).send();
    });
  };

  function challengePage(intent: Intent) {
    const last4 = ledger.findMethod(intent.paymentMethodId)?.last4;
    return choicePage({
      title: "Confirm it's you",
      kicker: 'First Sandbox Bank',
      text: `Your bank asks you to confirm this card payment${last4 === undefined ? '' : ` with the card ending in ${last4}`}.`,
      amountCents: intent.amountCents,
      choices: CHALLENGE_CHOICES,
    });
  }
}

/** The return URL with the query parameters that Stripe adds to it. */
function returnTo(intent: Intent, publicUrl: string): string {
  if (intent.returnUrl === null) return `${publicUrl}/challenge/${intent.step?.pageId ?? ''}`;
  const url = new URL(intent.returnUrl);
  url.searchParams.set('payment_intent', intent.id);
  url.searchParams.set('payment_intent_client_secret', intent.clientSecret);
  url.searchParams.set('source_type', 'card');
  return url.href;
}
