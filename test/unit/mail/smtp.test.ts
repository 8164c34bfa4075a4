import type { Socket } from 'node:net';
import type { MailServer } from '../../../src/domain/mail.ts';
import { composeMessage } from '../../../src/mail/message.tsx';
import { testText } from '../../../src/mail/notices.ts';
import { MailFailure, type MailConnectOptions, openMailSession } from '../../../src/mail/smtp.ts';
import { startMailServer, startRawServer } from '../../support/mail-server.ts';

const timeouts = { connectMs: 300, loginMs: 300, sendMs: 300 };
const loopback: MailConnectOptions = { rules: { allowLoopback: true }, timeouts };
const serverAt = (port: number, host = '127.0.0.1'): MailServer => ({
  host,
  port,
  secure: false,
  login: null,
});

/** Tries a whole session; returns the problem, or `sent`. */
async function trySession(server: MailServer, options: MailConnectOptions = loopback): Promise<string> {
  try {
    const session = await openMailSession(server, options);
    try {
      await session.send(
        { from: 'a@shop.example', to: 'b@customer.example' },
        Buffer.from('Subject: x\r\n\r\nx'),
      );
      return 'sent';
    } finally {
      session.close();
    }
  } catch (error) {
    if (error instanceof MailFailure) return error.fault.problem;
    throw error;
  }
}

const drip = (socket: Socket): void => {
  const timer = setInterval(() => socket.write('2'), 20);
  socket.on('close', () => clearInterval(timer));
};

describe('a mail server that misbehaves', () => {
  it.each<[string, string, (socket: Socket) => void]>([
    ['says nothing', 'timeout', () => undefined],
    ['drips', 'timeout', drip],
    ['speaks HTTP', 'protocol', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['hangs up', 'unavailable', (socket) => socket.end()],
    ['says that it is closing', 'unavailable', (socket) => socket.write('421 4.3.2 Closing\r\n')],
    ['sends a line without end', 'protocol', (socket) => socket.write('2'.repeat(1_000_000))],
    [
      'hangs after the greeting',
      'timeout',
      (socket) => {
        socket.write('220 here\r\n');
      },
    ],
  ])('and %s ends the session with the problem "%s"', async (_how, problem, behave) => {
    const server = await startRawServer(behave);
    expect(await trySession(serverAt(server.port))).toBe(problem);
    await server.close();
  });

  it('and that does not listen is a refused connection', async () => {
    const server = await startRawServer(() => undefined);
    await server.close();
    expect(await trySession(serverAt(server.port))).toBe('connect');
  });
});

describe('a working mail server', () => {
  it('gets the message', async () => {
    const server = await startMailServer();
    expect(await trySession(serverAt(server.port))).toBe('sent');
    expect(server.taken).toHaveLength(1);
    await server.close();
  });

  it.each([
    ['auth', 535, 'login'],
    ['from', 550, 'sender'],
    ['to', 550, 'recipient'],
    ['to', 450, 'recipient'],
    ['data', 554, 'content'],
    ['to', 421, 'unavailable'],
  ] as const)('that refuses at %s with %i is the problem "%s"', async (step, code, problem) => {
    const server = await startMailServer();
    server.refuse = (at) => (at === step ? { code, text: 'No' } : null);
    const login = step === 'auth' ? { user: 'shop', password: 'p@ss:word/1' } : null;
    expect(await trySession({ ...serverAt(server.port), login })).toBe(problem);
    await server.close();
  });

  it('without TLS is refused anywhere but on loopback in development', async () => {
    const server = await startMailServer();
    const everywhere = { rules: { allowLoopback: false }, timeouts };
    expect(await trySession(serverAt(server.port), everywhere)).toBe('address');
    expect(server.sessions).toBe(0);
    await server.close();
  });
});

describe('the name of a mail server', () => {
  it.each(['10.0.0.1', '169.254.169.254', '::1', '192.168.0.1', '::ffff:127.0.0.1'])(
    'that leads to %s is refused, also beside a public address',
    async (address) => {
      const lookup = async () => ['93.184.216.34', address];
      const options = { rules: { allowLoopback: false }, timeouts, lookup };
      expect(await trySession(serverAt(25, 'mail.example'), options)).toBe('address');
    },
  );

  it('that does not exist, or whose look-up hangs, is a problem of the name', async () => {
    const missing = { ...loopback, lookup: () => Promise.reject(new Error('ENOTFOUND')) };
    expect(await trySession(serverAt(25, 'mail.example'), missing)).toBe('dns');
    const hanging = { ...loopback, lookup: () => new Promise<string[]>(() => undefined) };
    expect(await trySession(serverAt(25, 'mail.example'), hanging)).toBe('dns');
    expect(await trySession(serverAt(25, 'mail.example'), { ...loopback, lookup: async () => [] })).toBe(
      'dns',
    );
  });
});

describe('a message', () => {
  const addressing = {
    id: '01980a5c-7a64-7c3e-9d1f-2b6f0c3e8a11',
    createdAt: new Date(0),
    fromName: 'Shop"\r\nBcc: evil@customer.example\r\n\r\n',
    from: 'receipts@shop.example',
    to: 'ana@customer.example',
    replyTo: 'help@shop.example',
  };
  const headOf = (message: Buffer): string => message.toString('utf8').split('\r\n\r\n')[0] ?? '';

  it('has no headers injected by a name or a subject', async () => {
    const text = { ...testText('x'), subject: 'Hi\nBcc: evil@customer.example\u2028X: y' };
    const head = headOf(await composeMessage(addressing, text));
    expect(head).not.toMatch(/^(bcc|x):/im);
    expect(head).toMatch(/^Auto-Submitted: auto-generated$/m);
    expect(head).toMatch(/^Reply-To: help@shop\.example$/m);
  });

  it('has the same Message-ID at every try', async () => {
    const ids = await Promise.all(
      [1, 2].map(async () =>
        /^Message-ID: .*$/m.exec(headOf(await composeMessage(addressing, testText('x')))),
      ),
    );
    expect(ids[0]?.[0]).toBe(`Message-ID: <${addressing.id}@shop.example>`);
    expect(ids[1]?.[0]).toBe(ids[0]?.[0]);
  });
});
