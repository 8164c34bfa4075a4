import { Readable } from 'node:stream';
import { parse } from 'pg-protocol';
import type { Message } from './prepared-statements.ts';

/** Reads the server's bytes, which are always whole messages. */
export class AnswerParser {
  readonly #stream = new Readable({ read: () => undefined });
  readonly #messages: Message[] = [];

  constructor() {
    void parse(this.#stream, (message) => void this.#messages.push(message));
  }

  read(bytes: Uint8Array): Message[] {
    this.#stream.emit('data', Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    return this.#messages.splice(0);
  }
}

/** Returns the rows among messages, as texts. */
export const rowsOf = (messages: readonly Message[]): string[][] =>
  messages.flatMap((message) =>
    message.name === 'dataRow' ? [(message as { fields?: string[] }).fields ?? []] : [],
  );
