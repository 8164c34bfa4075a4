import { uuidv7 } from 'uuidv7';
import { newEventId } from '../../db/webhooks/events.ts';
import { testEventType } from '../../domain/event-types.ts';
import type { Environment } from '../../domain/statuses.ts';
import { eventEnvelope } from '../../webhooks/envelope.ts';
import type { Send, SendResult } from '../../webhooks/sender.ts';
import { createSigningSecret, signedRequest } from '../../webhooks/signing.ts';

/**
 * Sends an `endpoint.test` event to a URL that is no endpoint yet, and returns the answer. Nothing is stored.
 * The event is signed with a secret that is used once, because an endpoint gets its own when it is added.
 */
export async function sendSample(
  send: Send,
  { url, environment, at }: { url: string; environment: Environment; at: Date },
): Promise<SendResult> {
  const id = newEventId(at);
  const event = {
    ...{ id, environment, type: testEventType, createdAt: at, sequence: 0, previousStatus: null },
    data: { endpointId: uuidv7() },
  };
  const body = JSON.stringify(eventEnvelope(event));
  return send(signedRequest(url, { id, body }, [createSigningSecret()], at));
}
