import { type Socket, connect } from 'node:net';
import { serialize } from 'pg-protocol';

/** Where a server on 127.0.0.1 listens, and the password of its superuser. */
export interface ServerAddress {
  port: number;
  password: string;
}

interface Expected {
  /** How many times the server has yet to be ready for the next query. */
  readies: number;
  resolve: (bytes: Uint8Array) => void;
  reject: (error: Error) => void;
}

const header = 5;
const authentication = 'R'.charCodeAt(0);
const keyData = 'K'.charCodeAt(0);
const ready = 'Z'.charCodeAt(0);
const askForPassword = 3;

/** A session of a real PostgreSQL, to which messages are sent as bytes. */
export class ServerSession {
  /** The id of the server's process. */
  pid = 0;
  readonly #socket: Socket;
  readonly #password: string;
  #received: Buffer = Buffer.alloc(0);
  /** Up to where messages were read. */
  #read = 0;
  #expected: Expected | null = null;

  private constructor(socket: Socket, password: string) {
    this.#socket = socket;
    this.#password = password;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the server ended the session')));
  }

  static async open({ port, password }: ServerAddress, database: string): Promise<ServerSession> {
    const session = new ServerSession(connect(port, '127.0.0.1'), password);
    await session.send(serialize.startup({ user: 'postgres', database }), 1);
    return session;
  }

  /** Sends messages. Resolves with the answer when the server has been ready this many times. */
  send(bytes: Uint8Array, readies: number): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.#expected = { readies, resolve, reject };
      this.#socket.write(bytes);
    });
  }

  end(): void {
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    while (this.#received.length >= this.#read + header) {
      const begin = this.#read;
      const end = begin + 1 + this.#received.readInt32BE(begin + 1);
      if (this.#received.length < end) return;
      this.#read = end;
      this.#understand(this.#received[begin], this.#received.subarray(begin + header, end));
    }
  }

  #understand(type: number | undefined, body: Buffer): void {
    if (type === keyData) this.pid = body.readInt32BE(0);
    if (type === authentication && body.readInt32BE(0) === askForPassword) {
      this.#socket.write(serialize.password(this.#password));
    }
    if (type !== ready || this.#expected === null) return;
    this.#expected.readies -= 1;
    if (this.#expected.readies > 0) return;
    const { resolve } = this.#expected;
    const answer = Uint8Array.from(this.#received.subarray(0, this.#read));
    this.#received = this.#received.subarray(this.#read);
    this.#read = 0;
    this.#expected = null;
    resolve(answer);
  }

  #fail(error: Error): void {
    this.#expected?.reject(error);
    this.#expected = null;
  }
}
