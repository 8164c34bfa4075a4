import { once } from 'node:events';
import { type Socket, connect } from 'node:net';

/** One answer received over a connection. */
export interface WireAnswer {
  status: number;
  headers: Map<string, string>;
  body: string;
}

/** Opens a connection to a server on loopback that ignores resets. */
export async function open(baseUrl: string): Promise<Socket> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** The bytes of a request. */
export function requestBytes(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string,
): Buffer {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const lines = Object.entries({ host: 'a', ...headers, ...length }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`);
}

/**
 * Reads `count` answers from a connection, in order; fewer when it ended or was reset before. With `slowly`
 * it reads a piece and then pauses, so that the server's buffers fill.
 */
export async function readAnswers(
  socket: Socket,
  count: number,
  slowly?: () => Promise<void>,
): Promise<WireAnswer[]> {
  const answers: WireAnswer[] = [];
  let held: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of socket) {
      held = Buffer.concat([held, chunk as Buffer]);
      for (let taken = takeAnswer(held); taken !== null && answers.length < count; taken = takeAnswer(held)) {
        answers.push(taken.answer);
        held = taken.rest;
      }
      if (answers.length === count) break;
      await slowly?.();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
  }
  return answers;
}

/** Returns the first complete answer of some bytes, and the rest; null while it is incomplete. */
function takeAnswer(bytes: Buffer): { answer: WireAnswer; rest: Buffer } | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const at = line.indexOf(':');
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()] as const;
    }),
  );
  const status = Number(first.split(' ')[1]);
  const length = headers.get('content-length');
  if (length === undefined && status !== 204) throw new Error(`an answer without a length: ${first}`);
  const bodyEnd = end + 4 + Number(length ?? 0);
  if (bytes.length < bodyEnd) return null;
  return {
    answer: { status, headers, body: bytes.toString('utf8', end + 4, bodyEnd) },
    rest: bytes.subarray(bodyEnd),
  };
}
