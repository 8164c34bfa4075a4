import { type AddressInfo, type Socket, createServer } from 'node:net';
import pg from 'pg';

/** A pooler on loopback that lends PostgreSQL's connections for one transaction each, as PgBouncer can. */
export interface TransactionPooler {
  /** The database's URL, through the pooler. */
  url: string;
  close(): Promise<void>;
}

/** The parameters that a client may send when it connects; all others are refused. */
const knownParameters = new Set(['user', 'database', 'application_name', 'client_encoding']);

interface Backend {
  socket: Socket;
  /** The client that has it now. */
  client: Client | null;
  /** Messages that were passed on and are not answered yet. */
  open: number;
}

interface Client {
  socket: Socket;
  backend: Backend | null;
  /** Messages that wait for a connection. */
  waiting: Buffer[];
}

const frame = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};

/** The messages of a completed sign-in. */
const greeting = Buffer.concat([
  frame('R', Buffer.alloc(4)),
  frame('S', Buffer.from('client_encoding\0UTF8\0')),
  frame('Z', Buffer.from('I')),
]);

/** Calls `onMessage` with every complete message of the chunks that arrive. */
function framed(onMessage: (type: string, message: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const length = rest.readInt32BE(1) + 1;
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      onMessage(String.fromCharCode(message[0] ?? 0), message);
    }
  };
}

/** Opens a pooler with `size` connections. It accepts every client. */
export async function transactionPooler(databaseUrl: string, size: number): Promise<TransactionPooler> {
  const sockets = new Set<Socket>();
  const idle: Backend[] = [];
  const queue: Client[] = [];

  const openBackend = async (): Promise<void> => {
    // The library signs in; after that the connection is a plain stream of messages.
    const signedIn = new pg.Client({ connectionString: databaseUrl });
    await signedIn.connect();
    const socket = signedIn.connection.stream as Socket;
    for (const event of ['data', 'end', 'close', 'error']) socket.removeAllListeners(event);
    sockets.add(socket);
    const backend: Backend = { socket, client: null, open: 0 };
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      sockets.delete(socket);
      backend.client?.socket.destroy();
    });
    socket.on(
      'data',
      framed((type, message) => {
        backend.client?.socket.write(message);
        if (type !== 'Z') return;
        backend.open -= 1;
        if (backend.open === 0 && message[5] === 'I'.charCodeAt(0)) giveBack(backend);
      }),
    );
    giveBack(backend);
  };

  /** Returns a connection to the pool. The last used one is lent next. */
  const giveBack = (backend: Backend): void => {
    if (backend.client) backend.client.backend = null;
    backend.client = null;
    idle.push(backend);
    lend();
  };

  const lend = (): void => {
    while (queue.length > 0 && idle.length > 0) {
      const client = queue.shift();
      if (!client || client.socket.destroyed) continue;
      const backend = idle.pop();
      if (!backend) return;
      backend.client = client;
      client.backend = backend;
      for (const message of client.waiting.splice(0)) pass(backend, message);
    }
  };

  const pass = (backend: Backend, message: Buffer): void => {
    if (['Q', 'S'].includes(String.fromCharCode(message[0] ?? 0))) backend.open += 1;
    backend.socket.write(message);
  };

  const serve = (client: Client): ((chunk: Buffer) => void) =>
    framed((type, message) => {
      if (type === 'X') return void client.socket.end();
      if (client.backend) return pass(client.backend, message);
      client.waiting.push(message);
      if (client.waiting.length === 1) queue.push(client);
      return lend();
    });

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    const client: Client = { socket, backend: null, waiting: [] };
    const messages = serve(client);
    let greeted = false;
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      sockets.delete(socket);
      const { backend } = client;
      if (!backend) return;
      // The client left in the middle of a transaction, which no other client may continue.
      backend.socket.destroy();
      openBackend().catch(() => undefined);
    });
    // A client sends its parameters in one piece, and then waits.
    socket.on('data', (chunk: Buffer) => {
      if (greeted) return messages(chunk);
      greeted = true;
      const words = chunk.subarray(8).toString().split('\0');
      const refused = words.find((word, n) => n % 2 === 0 && word !== '' && !knownParameters.has(word));
      if (refused === undefined) return void socket.write(greeting);
      const fields = `SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter: ${refused}\0\0`;
      return void socket.end(frame('E', Buffer.from(fields)));
    });
  });

  await Promise.all(Array.from({ length: size }, () => openBackend()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.toString(),
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
