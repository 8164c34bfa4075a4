import type { DeliveryView } from '../../db/webhooks/delivery-reads.ts';
import type { WebhookEndpoint } from '../../db/webhooks/endpoints.ts';

/** Returns an endpoint as its merchant reads it, never with its secret (HOOK-06). docs/webhooks.md. */
export function endpointView(endpoint: WebhookEndpoint) {
  return {
    id: endpoint.id,
    url: endpoint.url,
    description: endpoint.description,
    events: endpoint.events,
    status: endpoint.status,
    disabledReason: endpoint.disabledReason,
    failingSince: endpoint.failingSince?.toISOString() ?? null,
    previousSecretExpiresAt: endpoint.previousSecretUntil?.toISOString() ?? null,
    environment: endpoint.environment,
    createdAt: endpoint.createdAt.toISOString(),
    updatedAt: endpoint.updatedAt.toISOString(),
  };
}

/** Returns a delivery as its merchant reads it, latest try first. */
export function deliveryView({ payment: _ofPages, ...delivery }: DeliveryView) {
  return {
    ...delivery,
    createdAt: delivery.createdAt.toISOString(),
    nextAttemptAt: delivery.nextAttemptAt?.toISOString() ?? null,
    deliveredAt: delivery.deliveredAt?.toISOString() ?? null,
  };
}
