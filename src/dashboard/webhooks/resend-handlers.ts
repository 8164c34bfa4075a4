import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { ownDeliveries } from '../../db/webhooks/delivery-reads.ts';
import type { DeliveryRef } from '../../domain/event.ts';
import { eventIdPattern } from '../../domain/event-id.ts';
import { isUuid } from '../../http/request.ts';
import { type WebhookOperationDeps, redeliverChosen } from '../../operations/webhooks/endpoints.ts';
import { refererPath } from '../parts/referer-path.ts';
import { redirectTo, type Visit } from '../visit.ts';

/** The maximum number of deliveries that are resent at once; a replay resends more. */
const maxResent = 50;

/**
 * Returns the delivery whose own button sent the form, or else the ticked ones, each as `<endpoint>/<event>`.
 * Invalid ones are left out.
 */
function chosenIn(form: URLSearchParams): DeliveryRef[] {
  const only = form.getAll('only');
  const ticked = [...new Set(only.length > 0 ? only : form.getAll('delivery'))].slice(0, maxResent);
  return ticked.flatMap((value) => {
    const [endpointId = '', eventId = ''] = value.split('/');
    return isUuid(endpointId) && eventIdPattern.test(eventId) ? [{ endpointId, eventId }] : [];
  });
}

/**
 * POST /webhooks/resend: sends one delivery or the ticked ones again, and returns to the page of the form,
 * which can be of an endpoint, an event or a payment. Deliveries of others are left out as if they did not
 * exist.
 */
export async function resendChosen(deps: WebhookOperationDeps & { lists: TenantReads }, visit: Visit) {
  const { tenant, form, frame, request, actor } = visit;
  const page = refererPath(request, frame.base).slice(frame.base.length) || '/webhooks';
  const chosen = chosenIn(form);
  if (chosen.length === 0) return redirectTo(visit, page, 'nothingTicked');
  const own = await deps.lists.read(tenant, (database) => ownDeliveries(database, tenant, chosen));
  const sent = await redeliverChosen(deps, tenant, own, actor);
  return redirectTo(visit, page, sent === 0 ? 'notResent' : 'resent');
}
