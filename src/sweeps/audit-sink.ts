import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { AuditEntry } from '../domain/audit.ts';

/** Stores entries of audit logs outside of this database. */
export interface AuditSink {
  /**
   * Resolves once all are stored, and throws otherwise. An entry may be sent again; its merchant and number
   * identify it.
   */
  send(entries: readonly AuditEntry[]): Promise<void>;
}

/** Longest duration of one request, in ms. */
const timeoutMs = 10_000;

/** Returns the sink of AUDIT_SINK, `file:///path` or `https://…`. Each entry is a line of JSON. ADR 0065. */
export function openAuditSink(url: string, token?: string): AuditSink {
  return url.startsWith('file:') ? fileSink(fileURLToPath(url)) : httpSink(url, token);
}

const linesOf = (entries: readonly AuditEntry[]): string =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');

const fileSink = (path: string): AuditSink => ({
  async send(entries) {
    const file = await open(path, 'a+', 0o600);
    try {
      const { size } = await file.stat();
      const last = Buffer.alloc(1);
      if (size > 0) await file.read(last, 0, 1, size - 1);
      // A process that died while writing has left an incomplete line.
      const begin = size > 0 && last.toString() !== '\n' ? '\n' : '';
      await file.appendFile(begin + linesOf(entries));
      await file.sync();
    } finally {
      await file.close();
    }
  },
});

const httpSink = (url: string, token: string | undefined): AuditSink => ({
  async send(entries) {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-ndjson',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: linesOf(entries),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the audit sink answered ${response.status}`);
  },
});
