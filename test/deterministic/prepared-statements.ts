import { serialize } from 'pg-protocol';

/** A text that the driver sends to be parsed, and the types of its parameters. */
export interface ParsedText {
  text: string;
  types?: number[] | undefined;
}

/** The driver's messages up to the next answer of the server. */
export interface Batch {
  /** The statement, for the story. */
  text: string;
  /** The payment that a statement of a payment names first. */
  paymentId: string | null;
  /** What the messages bind; null for a simple query. */
  parsed: ParsedText | null;
  /** The other messages, given the name under which the statement is prepared. */
  messages: ((statement: string) => Uint8Array)[];
}

export interface Message {
  name: string;
  status?: string;
  code?: string;
}

let statements = 0;

/** The statements that a session has prepared, so that each text is parsed and planned once. */
export class PreparedStatements {
  /** The names of the statements, by their texts and types of parameters. */
  readonly #names = new Map<string, string>();

  /** Runs a batch: `exchange` sends bytes and returns what the server answered. */
  async run(batch: Batch, exchange: (bytes: Uint8Array) => Promise<Message[]>): Promise<Message[]> {
    const { bytes, parses } = this.encode(batch);
    const messages = await exchange(bytes);
    this.learn(parses, messages);
    return messages;
  }

  /** Returns the bytes of a batch, and what it prepares. */
  encode({ parsed, messages }: Batch): { bytes: Uint8Array; parses: { key: string; name: string } | null } {
    if (parsed === null) return { bytes: Buffer.concat(messages.map((encode) => encode(''))), parses: null };
    const { text, types = [] } = parsed;
    const key = `${types.join()} ${text}`;
    const known = this.#names.get(key);
    const name = known ?? `s${(statements += 1)}`;
    const parse = known === undefined ? [serialize.parse({ text, types, name })] : [];
    const bytes = Buffer.concat([...parse, ...messages.map((encode) => encode(name))]);
    return { bytes, parses: known === undefined ? { key, name } : null };
  }

  /** Remembers a statement that the server has prepared. */
  learn(parses: { key: string; name: string } | null, messages: readonly Message[]): void {
    if (parses === null || !messages.some(({ name }) => name === 'parseComplete')) return;
    this.#names.set(parses.key, parses.name);
  }
}
