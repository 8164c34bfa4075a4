import { open } from 'node:fs/promises';
import type { Command } from 'commander';
import * as z from 'zod';
import { type ChainHead, emptyChain, exportHash, follow, type Signer } from '../../crypto/audit-chain.ts';
import { isSignedBy, type SigningKey } from '../../crypto/signing.ts';
import { acceptUnsigned, auditHead, listAudit, readAudit, unsignedUntil } from '../../db/server/audit.ts';
import { inTransaction } from '../../db/server/database.ts';
import { findChainKey, loadChainKey } from '../../db/server/chain-key.ts';
import { type AuditEntry, genesisHash } from '../../domain/audit.ts';
import { problems } from '../problems.ts';
import {
  byOperator,
  operate,
  OperatorError,
  print,
  type PrintFlags,
  uuidFlag,
  withCommonFlags,
} from './operator.ts';

interface AuditFlags extends PrintFlags {
  merchant: string;
  limit: number;
  before?: number;
  file?: string;
  head?: string;
  publicKey?: string;
  until: number;
  dataDir: string;
}

/** `audit list|export|verify|accept`: lists, exports and verifies the audit log. docs/dashboard.md. */
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
      operate(flags, async ({ database, keyring }) => {
        const { merchant: merchantId, file = '' } = flags;
        // Read before the file is created, so that an unreadable trail leaves no empty file.
        await auditHead(database, merchantId);
        const key = await loadChainKey(database, keyring);
        const until = await unsignedUntil(database, merchantId);
        const head = await exportTo(file, merchantId, readAudit(database, merchantId), { key, until });
        const publicKey = key.publicKey.toString('base64');
        return { merchantId, file, entries: head.sequence, head: head.hash, publicKey };
      }),
    );

  ofMerchant('accept')
    .requiredOption(
      '--until <sequence>',
      'number of the last entry that an earlier build wrote',
      wholeFlag('--until', Number.MAX_SAFE_INTEGER),
    )
    .action(async (flags: AuditFlags) =>
      operate(flags, async ({ database, now }) => {
        const last = (await auditHead(database, flags.merchant))?.sequence ?? 0;
        if (flags.until > last) throw new OperatorError(problems.auditShorter(last));
        const { merchant: merchantId } = flags;
        const until = await inTransaction(database, (transaction) =>
          acceptUnsigned(transaction, merchantId, flags.until, byOperator(now)),
        );
        return { merchantId, unsignedUntil: until };
      }),
    );

  withCommonFlags(
    audit
      .command('verify')
      .option('--merchant <id>', "a merchant's trail in the database", uuidFlag('--merchant'))
      .option('--file <path>', 'an exported trail; needs no database')
      .option('--head <hash>', 'the last hash of an earlier export or check, which must be in the chain')
      .option('--public-key <base64>', 'of this service, as the export printed it; only with --file'),
  ).action(async (flags: Partial<AuditFlags> & { dataDir: string }) => {
    const { merchant, file, head: known = null } = flags;
    if ((merchant === undefined) === (file === undefined)) {
      throw new OperatorError(problems.auditMerchantOrFile);
    }
    if (file !== undefined) {
      print(await verifyFile(file, known, flags.publicKey ?? null), flags);
      return;
    }
    if (flags.publicKey !== undefined) throw new OperatorError(problems.publicKeyOfFile);
    await operate(flags, async ({ database, keyring }) => {
      const merchantId = merchant ?? '';
      // Read before the entries; entries added in the meantime come after it.
      const noted = (await auditHead(database, merchantId)) ?? emptyChain;
      const signer = {
        publicKey: (await findChainKey(database, keyring))?.publicKey ?? null,
        unsignedUntil: await unsignedUntil(database, merchantId),
      };
      return verified(merchantId, readAudit(database, merchantId), noted, { known, signer });
    });
  });
}

/**
 * Returns the end of a chain. It verifies that each entry follows the previous one unchanged, that the chain
 * reaches the separately stored head `noted`, contains the hash `known` and bears the signatures of `signer`.
 * Throws `OperatorError` with what is wrong.
 */
async function verified(
  merchantId: string,
  entries: AsyncIterable<AuditEntry>,
  noted: ChainHead,
  { known, signer }: { known: string | null; signer: Signer | null },
) {
  let signed = 0;
  let head = emptyChain;
  let isKnown = known === null || known === genesisHash;
  for await (const entry of entries) {
    const next = follow(head, entry, merchantId, signer);
    if (typeof next === 'string') throw wrong(next);
    head = next;
    if (signer && entry.signature !== null) signed += 1;
    isKnown ||= head.hash === known;
    if (head.sequence === noted.sequence && head.hash !== noted.hash) {
      throw wrong(problems.auditHeadDiffers(head.sequence));
    }
  }
  if (head.sequence < noted.sequence) {
    throw wrong(problems.auditCut(head.sequence, noted.sequence));
  }
  if (!isKnown) throw wrong(problems.auditHeadUnknown);
  return { merchantId, valid: true, entries: head.sequence, signed, head: head.hash };
}

const wrong = (what: string): OperatorError => new OperatorError(problems.auditChanged(what));

/** Writes a trail to a file, one entry per line, and then its end with a signature. Returns the end. */
async function exportTo(
  path: string,
  merchantId: string,
  entries: AsyncIterable<AuditEntry>,
  { key, until }: { key: SigningKey; until: number },
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
    const end = { merchantId, ...head, unsignedUntil: Math.min(until, head.sequence) };
    const signature = key.sign('audit export', exportHash(end)).toString('base64');
    const publicKey = key.publicKey.toString('base64');
    await file.write(`${JSON.stringify({ end: { ...end, publicKey, signature } })}\n`);
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
  signature: z.string().nullable().default(null),
});
/** Exports of builds without signatures lack the last three fields. */
const endLine = z.object({
  end: z.object({
    merchantId: z.string(),
    sequence: z.int(),
    hash: z.string(),
    unsignedUntil: z.int().optional(),
    publicKey: z.string().optional(),
    signature: z.string().optional(),
  }),
});

/** Verifies an exported trail. Its end is in the last line, so the file is read twice. */
async function verifyFile(path: string, known: string | null, pinned: string | null) {
  let last = '';
  for await (const line of linesOf(path)) last = line;
  const end = endLine.safeParse(parsed(last));
  if (!end.success) throw new OperatorError(problems.auditWithoutEnd(path));
  const { merchantId, sequence, hash } = end.data.end;
  const signer = signerOf(end.data.end, pinned);
  const valid = await verified(merchantId, entriesOf(path), { sequence, hash }, { known, signer });
  return { file: path, ...valid, publicKey: signer?.publicKey.toString('base64') ?? null };
}

/**
 * Returns the signer of an export; null if it is unsigned. Throws `OperatorError` if the signature is wrong.
 */
function signerOf(
  end: z.infer<typeof endLine>['end'],
  pinned: string | null,
): (Signer & { publicKey: Buffer }) | null {
  const { merchantId, sequence, hash, unsignedUntil: until, publicKey: own, signature } = end;
  if (own === undefined || until === undefined || signature === undefined) {
    if (pinned !== null) throw wrong(problems.auditUnsigned);
    return null;
  }
  const publicKey = Buffer.from(pinned ?? own, 'base64');
  const ended = exportHash({ merchantId, sequence, hash, unsignedUntil: until });
  if (!isSignedBy(publicKey, 'audit export', ended, Buffer.from(signature, 'base64')))
    throw wrong(problems.auditEndForged);
  return { publicKey, unsignedUntil: until };
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

function wholeFlag(name: string, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < 1 || value > max) {
      throw new OperatorError(problems.wholeNumber(name, max));
    }
    return value;
  };
}
