import * as z from 'zod';
import { cardTestingDimensions } from '../../domain/card-testing.ts';
import { type EventType, eventTypes } from '../../domain/event-types.ts';
import { cents, dateTime, uuid } from '../http/schema.ts';
import { type Components, capitalized, schemaRef } from './components.ts';
import type { JsonObject } from './json.ts';

/** The fields that a `payment.unexpectedCapture` event adds to its payment. docs/refunds-and-disputes.md. */
const UnexpectedCapture = z
  .strictObject({
    attemptNo: z.int().min(1).meta({ description: 'The attempt whose key the network charged.' }),
    amountCents: cents(0),
    currency: z.string(),
    providerReference: z.string().meta({ description: 'The id of the charge at the network.' }),
    capturedAt: dateTime().nullable(),
  })
  .meta({ id: 'UnexpectedCapture', description: 'Money that the network took and no paid attempt has.' });

/** The data of a `risk.cardTesting` event. docs/operations.md, "Card testing". */
const CardTesting = z
  .strictObject({
    dimension: z.enum(cardTestingDimensions).meta({ description: 'What had too many declines.' }),
    subject: z
      .string()
      .nullable()
      .meta({ description: 'The id of the key, or the BIN; null for the others.' }),
    since: dateTime(),
  })
  .meta({ id: 'CardTesting', description: 'Pays are refused, because too many cards were declined.' });

const TestEventData = z
  .strictObject({ endpointId: uuid() })
  .meta({ id: 'TestEventData', description: 'The endpoint that was tested.' });

/** The answer of a receiver, as a component. */
export const webhookResponses: JsonObject = {
  Received: {
    description:
      'Received. Answer at once and do the work afterwards. After any other answer the event is sent again later.',
  },
};

const object = (properties: JsonObject, required: string[] = Object.keys(properties)): JsonObject => ({
  type: 'object',
  properties,
  required,
});

/**
 * Returns the webhooks of the document, one for each type of event, and adds their payloads to the
 * components. docs/webhooks.md.
 */
export function describeWebhooks(components: Components): JsonObject {
  const envelope = envelopeOf(components);
  const data = dataSchemas(components);
  const webhooks: JsonObject = {};
  for (const type of eventTypes) {
    const words = type.split('.').map(capitalized);
    const payload = components.name(`${words.join('')}Event`, {
      allOf: [envelope, object({ type: { type: 'string', const: type }, data: data(type) })],
    });
    webhooks[type] = {
      post: {
        operationId: `on${words.join('')}`,
        summary: meaningOf(type),
        requestBody: { required: true, content: { 'application/json': { schema: payload } } },
        responses: { '2XX': { $ref: '#/components/responses/Received' } },
      },
    };
  }
  return webhooks;
}

/**
 * Returns the fields of every event except its type and its data. Generators cannot narrow a field inside a
 * part of a schema, so an event of any type becomes this envelope with any data.
 */
function envelopeOf(components: Components): JsonObject {
  const { properties, description = '' } = components.schemas['Event'] as JsonObject;
  const { type = {}, data = {}, ...others } = properties as JsonObject;
  const envelope = components.name('EventEnvelope', {
    description: 'What every event has, whatever its type.',
    ...object(others),
  });
  components.name('Event', { description, allOf: [envelope, object({ type, data })] });
  return envelope;
}

function dataSchemas(components: Components): (type: EventType) => JsonObject {
  const late = {
    type: 'boolean',
    description: 'True when the money was taken after the checkout had closed.',
  };
  const paid = components.name('PaidPaymentData', {
    description: 'The payment that was paid, without its checkout URL.',
    allOf: [schemaRef('Payment'), object({ late }, [])],
  });
  const unexpected = components.name('UnexpectedCaptureData', {
    description: 'The payment, unchanged, with the capture.',
    allOf: [
      schemaRef('Payment'),
      object({ unexpectedCapture: components.schemaOf(UnexpectedCapture, 'answer') }),
    ],
  });
  const test = components.schemaOf(TestEventData, 'answer');
  const cardTesting = components.schemaOf(CardTesting, 'answer');
  return (type) => {
    if (type === 'payment.paid') return paid;
    if (type === 'payment.unexpectedCapture') return unexpected;
    if (type === 'endpoint.test') return test;
    if (type === 'risk.cardTesting') return cardTesting;
    if (type.startsWith('refund.')) return schemaRef('Refund');
    return schemaRef(type.startsWith('dispute.') ? 'Dispute' : 'Payment');
  };
}

/** Returns a sentence on when an event of a type is sent. */
function meaningOf(type: EventType): string {
  if (type === 'endpoint.test') return 'Sent on request, to try an endpoint.';
  if (type === 'payment.unexpectedCapture')
    return (
      'The network took money that no paid attempt has. Find it by `data.unexpectedCapture.providerReference` ' +
      'at the network and refund it there, or fulfill the order.'
    );
  if (type === 'risk.cardTesting')
    return 'Pays are refused with 429 `too_many_declines`: a program seems to try card after card.';
  if (type === 'dispute.updated') return 'A dispute has another stage, amount or deadline.';
  if (type === 'dispute.evidenceDueSoon') return 'A reminder before the deadline for evidence.';
  const [resource = '', state = ''] = type.split('.');
  if (resource === 'payment') return `A payment became \`${state}\`.`;
  return state === 'created' ? `A ${resource} was created.` : `A ${resource} is now \`${state}\`.`;
}
