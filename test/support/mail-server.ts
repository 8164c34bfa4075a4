import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A message that the stand-in accepted. */
export interface TakenMail {
  from: string;
  to: string;
  /** As sent. */
  raw: string;
  headers: Readonly<Record<string, string>>;
}

/** A mail server on loopback. */
export interface MailServerStandIn {
  url: string;
  port: number;
  taken: TakenMail[];
  /** Sessions that began. */
  sessions: number;
  /** Called at each step when set. It returns the reply of a refusal, or null to continue. */
  refuse: (step: 'auth' | 'from' | 'to' | 'data', address: string) => { code: number; text: string } | null;
  close(): Promise<void>;
}

const user = 'shop';
const password = 'p@ss:word/1';

/** Starts a mail server that accepts everything, on its own port or the given one. */
export async function startMailServer(
  port = 0,
  tls?: { key: string; cert: string },
): Promise<MailServerStandIn> {
  const taken: TakenMail[] = [];
  const refusal = (step: Parameters<MailServerStandIn['refuse']>[0], address: string): Error | null => {
    const reply = standIn.refuse(step, address);
    return reply && Object.assign(new Error(reply.text), { responseCode: reply.code });
  };
  const server = new SMTPServer({
    ...(tls ? { key: tls.key, cert: tls.cert } : { hideSTARTTLS: true }),
    authOptional: true,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    onConnect(_session, done) {
      standIn.sessions += 1;
      done();
    },
    onAuth(auth, _session, done) {
      const refused = refusal('auth', auth.username ?? '');
      if (refused) done(refused);
      else if (auth.username !== user || auth.password !== password) {
        done(Object.assign(new Error('Wrong user or password'), { responseCode: 535 }));
      } else done(null, { user });
    },
    onMailFrom: ({ address }, _session, done) => done(refusal('from', address)),
    onRcptTo: ({ address }, _session, done) => done(refusal('to', address)),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const to = rcptTo[0]?.address ?? '';
        const refused = refusal('data', to);
        const raw = Buffer.concat(chunks).toString('utf8');
        if (!refused) {
          taken.push({ from: mailFrom ? mailFrom.address : '', to, raw, headers: headersOf(raw) });
        }
        done(refused);
      });
    },
  });
  // A client that hangs up is not a fault of the stand-in.
  server.on('error', () => undefined);
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  const own = (server.server.address() as AddressInfo).port;
  const standIn: MailServerStandIn = {
    url: `smtp://${user}:${encodeURIComponent(password)}@127.0.0.1:${own}`,
    port: own,
    taken,
    sessions: 0,
    refuse: () => null,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
  return standIn;
}

/** Returns the headers of a message, unfolded, by their names in lower case. */
function headersOf(raw: string): Record<string, string> {
  const head = (raw.split('\r\n\r\n')[0] ?? '').replaceAll(/\r\n[ \t]+/g, ' ');
  return Object.fromEntries(
    head.split('\r\n').map((line) => {
      const at = line.indexOf(':');
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
    }),
  );
}

/** Starts a server that handles each connection with `behave`, for tests of misbehaving servers. */
export async function startRawServer(
  behave: (socket: Socket) => void,
): Promise<{ port: number; close: () => Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    behave(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
