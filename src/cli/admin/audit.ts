import { open } from 'node:fs/promises';
import type { Command } from 'commander';
import * as z from 'zod';
import { type ChainHead, emptyChain, follow } from '../../crypto/audit-chain.ts';
import { auditHead, listAudit, readAudit } from '../../db/server/audit.ts';
import { type AuditEntry, genesisHash } from '../../domain/audit.ts';
import { problems } from '../texts.ts';
import { operate, OperatorError, print, type PrintFlags, uuidFlag, withCommonFlags } from './operator.ts';

interface AuditFlags extends PrintFlags {
  merchant: string;
  limit: number;
  before?: number;
  file?: string;
  head?: string;
  dataDir: string;
}

/** `audit list|export|verify`: lists, exports and verifies the audit log. docs/dashboard.md. */
export function auditCommands(program: Command): void {
  const audit = program.command('audit').description('The audit log of a merchant');
  const ofMerchant = (name: string): Command =>
    withCommonFlags(
      audit.command(name).requiredOption('--merchant <id>', 'merchant id', uuidFlag('--merchant')),
    );

  ofMerchant('list')
    .option('--limit <number>', 'maximum number of entries, up to 1,000', wholeFlag('--limit', 1_000), 100)
    .option(
      '--before <sequence>',
      'only entries before this one',
      wholeFlag('--before', Number.MAX_SAFE_INTEGER),
    )
    .action(async (flags: AuditFlags) =>
      operate(flags, async ({ database }) => ({
        entries: await listAudit(database, {
          merchantId: flags.merchant,
          environment: null,
          before: flags.before ?? null,
          limit: flags.limit,
        }),
      })),
    );

  ofMerchant('export')
    .requiredOption('--file <path>', 'file to write: one JSON object per line, the end of the chain last')
    .action(async (flags: AuditFlags) =>
      operate(flags, async ({ database }) => {
        const file = flags.file ?? '';
        // First, so that an unreadable trail leaves no empty file.
        await auditHead(database, flags.merchant);
        const head = await exportTo(file, flags.merchant, readAudit(database, flags.merchant));
        return { merchantId: flags.merchant, file, entries: head.sequence, head: head.hash };
      }),
    );

  withCommonFlags(
    audit
      .command('verify')
      .option('--merchant <id>', "a merchant's trail in the database", uuidFlag('--merchant'))
      .option('--file <path>', 'an exported trail; needs no database')
      .option('--head <hash>', 'the last hash of an earlier export or check, which must be in the chain'),
  ).action(async (flags: Partial<AuditFlags> & { dataDir: string }) => {
    const { merchant, file, head: known = null } = flags;
    if ((merchant === undefined) === (file === undefined)) {
      throw new OperatorError(problems.auditMerchantOrFile);
    }
    if (file !== undefined) {
      print(await verifyFile(file, known), flags);
      return;
    }
    await operate(flags, async ({ database }) => {
      const merchantId = merchant ?? '';
      // Read first: entries added in the meantime follow it.
      const noted = (await auditHead(database, merchantId)) ?? emptyChain;
      return verified(merchantId, readAudit(database, merchantId), noted, known);
    });
  });
}

/**
 * Returns the end of a chain in which each entry follows the one before, unchanged, which reaches the head
 * `noted` beside it and contains the hash `known`. Throws `OperatorError` with what is wrong.
 */
async function verified(
  merchantId: string,
  entries: AsyncIterable<AuditEntry>,
  noted: ChainHead,
  known: string | null,
) {
  const wrong = (what: string): OperatorError => new OperatorError(problems.auditChanged(what));
  let head = emptyChain;
  let isKnown = known === null || known === genesisHash;
  for await (const entry of entries) {
    const next = follow(head, entry, merchantId);
    if (typeof next === 'string') throw wrong(next);
    head = next;
    isKnown ||= head.hash === known;
    if (head.sequence === noted.sequence && head.hash !== noted.hash) {
      throw wrong(problems.auditHeadDiffers(head.sequence));
    }
  }
  if (head.sequence < noted.sequence) {
    throw wrong(problems.auditCut(head.sequence, noted.sequence));
  }
  if (!isKnown) throw wrong(problems.auditHeadUnknown);
  return { merchantId, valid: true, entries: head.sequence, head: head.hash };
}

/** Writes a trail to a file, one entry per line, then its end. Returns the end. */
async function exportTo(
  path: string,
  merchantId: string,
  entries: AsyncIterable<AuditEntry>,
): Promise<ChainHead> {
  const file = await open(path, 'w', 0o600).catch((error: unknown) => {
    throw new OperatorError(problems.unwritableFile('--file', path), { cause: error });
  });
  let head = emptyChain;
  try {
    for await (const entry of entries) {
      await file.write(`${JSON.stringify(entry)}\n`);
      head = { sequence: entry.sequence, hash: entry.hash };
    }
    await file.write(`${JSON.stringify({ end: { merchantId, ...head } })}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  return head;
}

const entryLine = z.strictObject({
  merchantId: z.string(),
  sequence: z.int(),
  at: z.string(),
  actor: z.strictObject({
    kind: z.enum(['operator', 'member', 'apiKey', 'service', 'provider']),
    id: z.string().nullable(),
    name: z.string(),
    address: z.string().nullable(),
  }),
  environment: z.enum(['sandbox', 'live']).nullable(),
  action: z.string(),
  subject: z.strictObject({ type: z.string(), id: z.string() }),
  before: z.record(z.string(), z.unknown()).nullable(),
  after: z.record(z.string(), z.unknown()).nullable(),
  previousHash: z.string(),
  hash: z.string(),
});
const endLine = z.object({
  end: z.object({ merchantId: z.string(), sequence: z.int(), hash: z.string() }),
});

/** Verifies an exported trail. Its end is in the last line, so the file is read twice. */
async function verifyFile(path: string, known: string | null) {
  let last = '';
  for await (const line of linesOf(path)) last = line;
  const end = endLine.safeParse(parsed(last));
  if (!end.success) throw new OperatorError(problems.auditWithoutEnd(path));
  const { merchantId, ...head } = end.data.end;
  return { file: path, ...(await verified(merchantId, entriesOf(path), head, known)) };
}

async function* entriesOf(path: string): AsyncGenerator<AuditEntry, void, undefined> {
  let number = 0;
  let ended = false;
  for await (const line of linesOf(path)) {
    number += 1;
    const value = parsed(line);
    if (ended) throw new OperatorError(problems.auditAfterEnd(path, number));
    ended = endLine.safeParse(value).success;
    if (ended) continue;
    const entry = entryLine.safeParse(value);
    if (!entry.success) throw new OperatorError(problems.auditNoEntry(path, number));
    yield entry.data;
  }
}

async function* linesOf(path: string): AsyncGenerator<string, void, undefined> {
  const file = await open(path).catch((error: unknown) => {
    throw new OperatorError(problems.unreadableFile('--file', path), { cause: error });
  });
  try {
    yield* file.readLines();
  } finally {
    await file.close();
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}

function wholeFlag(name: string, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < 1 || value > most) {
      throw new OperatorError(problems.wholeNumber(name, most));
    }
    return value;
  };
}
