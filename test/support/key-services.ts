import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How a stand-in answers: `good`, or with a fault. */
export type AnswerMode = 'good' | 'hangs' | 'redirects' | 'half' | 'empty' | 'endless' | 'busy';

/** A stand-in for a key service on a loopback port. */
export interface KeyService {
  url: string;
  /** How it answers from now on. */
  manner: AnswerMode;
  /** The credential it accepts. */
  accepts: string;
  /** How often it was called. */
  calls: number;
  /** Answers the next call with 503. */
  busyOnce: boolean;
  close: () => Promise<void>;
}

type Answer = { status: number; body: object };
type Respond = (request: IncomingMessage, body: Record<string, unknown>, service: KeyService) => Answer;

/** A master key of a stand-in, which seals with associated data as the services do. */
class Master {
  private readonly key = randomBytes(32);

  seal(text: Buffer, data: string): Buffer {
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.key, iv).setAAD(Buffer.from(data));
    const body = Buffer.concat([cipher.update(text), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), body]);
  }

  /** Returns the data; null when the key or the associated data differ. */
  open(sealed: Buffer, data: string): Buffer | null {
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.key, sealed.subarray(0, 12), {
        authTagLength: 16,
      });
      decipher.setAAD(Buffer.from(data)).setAuthTag(sealed.subarray(12, 28));
      return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]);
    } catch {
      return null;
    }
  }
}

/** A stand-in for AWS KMS (JSON protocol 1.1) with the keys `alias/one` and `alias/two`. */
export async function startKms(): Promise<KeyService> {
  const masters = new Map([
    ['alias/one', new Master()],
    ['alias/two', new Master()],
  ]);
  const refuse = (name: string): Answer => ({ status: 400, body: { __type: name, message: 'not shown' } });
  return start('test-access-key', (request, body, service) => {
    const { authorization = '' } = request.headers;
    const credential = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/\d{8}\/eu-central-1\/kms\/aws4_request, /;
    if (credential.exec(authorization)?.[1] !== service.accepts) return refuse('UnrecognizedClientException');
    if (!/, Signature=[0-9a-f]{64}$/.test(authorization)) return refuse('IncompleteSignature');
    const master = masters.get(String(body['KeyId']));
    if (!master) return refuse('NotFoundException');
    const data = JSON.stringify(body['EncryptionContext'] ?? {}, ['id', 'service', 'setting']);
    if (request.headers['x-amz-target'] === 'TrentService.Encrypt') {
      const sealed = master.seal(Buffer.from(String(body['Plaintext']), 'base64'), data);
      return { status: 200, body: { KeyId: body['KeyId'], CiphertextBlob: sealed.toString('base64') } };
    }
    const sealed = Buffer.from(String(body['CiphertextBlob']), 'base64');
    const opened = master.open(sealed, data);
    if (opened) return { status: 200, body: { KeyId: body['KeyId'], Plaintext: opened.toString('base64') } };
    const isOthers = [...masters.values()].some((other) => other.open(sealed, data) !== null);
    return refuse(isOthers ? 'IncorrectKeyException' : 'InvalidCiphertextException');
  });
}

/** A stand-in for the transit engine of HashiCorp Vault with the keys `one` and `two`. */
export async function startTransit(): Promise<KeyService> {
  const masters = new Map([
    ['one', new Master()],
    ['two', new Master()],
  ]);
  const refuse = (status: number): Answer => ({ status, body: { errors: ['not shown'] } });
  return start('hvs.test-token', (request, body, service) => {
    if (request.headers['x-vault-token'] !== service.accepts) return refuse(403);
    const [, operation, name = ''] =
      /^\/v1\/transit\/(encrypt|decrypt)\/(\w+)$/.exec(request.url ?? '') ?? [];
    const master = masters.get(name);
    if (!operation || !master) return refuse(404);
    const data = String(body['associated_data']);
    if (operation === 'encrypt') {
      const sealed = master.seal(Buffer.from(String(body['plaintext']), 'base64'), data);
      return { status: 200, body: { data: { ciphertext: `vault:v1:${sealed.toString('base64')}` } } };
    }
    const sealed = Buffer.from(String(body['ciphertext']).replace('vault:v1:', ''), 'base64');
    const opened = master.open(sealed, data);
    if (!opened) return refuse(400);
    return { status: 200, body: { data: { plaintext: opened.toString('base64') } } };
  });
}

async function start(accepts: string, respond: Respond): Promise<KeyService> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      service.calls += 1;
      const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Record<string, unknown>;
      if (service.busyOnce) {
        service.busyOnce = false;
        send(response, 'busy', { status: 200, body: {} });
      } else send(response, service.manner, respond(request, body, service));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const service: KeyService = {
    url: `http://127.0.0.1:${port}`,
    manner: 'good',
    accepts,
    calls: 0,
    busyOnce: false,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return service;
}

function send(response: ServerResponse, manner: AnswerMode, { status, body }: Answer): void {
  const text = JSON.stringify(body);
  const type = { 'content-type': 'application/json' };
  if (manner === 'hangs') return;
  if (manner === 'redirects') {
    // The redirect leads to this server, where a client that follows it would be counted.
    response.writeHead(307, { location: '/elsewhere' }).end();
  } else if (manner === 'half') {
    response.writeHead(status, { ...type, 'content-length': text.length });
    response.write(text.slice(0, text.length / 2), () => response.destroy());
  } else if (manner === 'empty') response.writeHead(200, type).end('{}');
  else if (manner === 'endless') response.writeHead(200, type).end(`{"data":"${'x'.repeat(128 * 1024)}"}`);
  else if (manner === 'busy') response.writeHead(503, type).end('{}');
  else response.writeHead(status, type).end(text);
}
