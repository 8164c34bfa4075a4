import { createServer } from 'node:http';
import { createHmac, timingSafeEqual } from 'node:crypto';

/** The merchant's webhook receiver: keeps what came, and answers an error now and then when told to. */
export async function startReceiver(port) {
  const received = [];
  let secret = null;
  let failing = () => false;
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('error', () => {});
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const id = String(request.headers['webhook-id']);
      const valid = secret !== null && isSigned(secret, request.headers, body);
      received.push({ id, body, valid });
      // Processed, and the answer says otherwise: the same event must come again under the same id.
      response.statusCode = failing() ? 500 : 204;
      response.end();
    });
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    received,
    expect: (value) => (secret = value),
    failWhen: (decide) => (failing = decide),
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

/** Standard Webhooks 1.0.0, written here a second time on purpose. */
function isSigned(secret, headers, body) {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const expected = createHmac('sha256', key)
    .update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`)
    .digest();
  return String(headers['webhook-signature'])
    .split(' ')
    .some((each) => {
      const given = Buffer.from(each.replace(/^v1,/, ''), 'base64');
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
}
