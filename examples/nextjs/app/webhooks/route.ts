import { type Event, WebhookVerificationError, verifyWebhook } from '@card-payments/sdk';
import { fulfillIfPaid } from '../../lib/payments';

const maxBodyBytes = 256 * 1024;

/** 204: received. 400: not from the service. When this fails, the service sends the event again. */
export async function POST(request: Request): Promise<Response> {
  const body = await readBody(request);
  if (body === null) return new Response(null, { status: 413 });
  let event: Event;
  try {
    event = await verifyWebhook(body, request.headers, process.env.WEBHOOK_SECRET ?? '');
  } catch (error) {
    if (error instanceof WebhookVerificationError) return new Response(error.message, { status: 400 });
    throw error;
  }
  // New types may come; those that this shop does not use are received and ignored.
  if (event.type === 'payment.paid') await fulfillIfPaid(event.data.id);
  console.log(`received ${event.id}`);
  return new Response(null, { status: 204 });
}

/** Returns the body as it was sent, which is what is signed; null when it is too long. */
async function readBody(request: Request): Promise<string | null> {
  const reader = request.body?.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) return Buffer.concat(chunks).toString('utf8');
    length += value.byteLength;
    if (length > maxBodyBytes) return null;
    chunks.push(value);
  }
}
