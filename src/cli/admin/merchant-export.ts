import { open } from 'node:fs/promises';
import type { Command } from 'commander';
import {
  exportedFromArchive,
  exportedTables,
  exportFromArchive,
  exportRows,
  isMerchant,
} from '../../db/merchants/merchant-export.ts';
import { recordChange } from '../../db/server/audit.ts';
import { inTransaction } from '../../db/server/database.ts';
import { problems } from '../problems.ts';
import { byOperator, operate, type Operator, OperatorError, uuidFlag, withCommonFlags } from './operator.ts';

interface ExportFlags {
  merchant: string;
  file: string;
  dataDir: string;
}

/** `merchant export`: writes all rows of a merchant to a file, without secrets. docs/security.md. */
export function addMerchantExport(merchant: Command): void {
  withCommonFlags(
    merchant
      .command('export')
      .requiredOption('--merchant <id>', 'merchant id', uuidFlag('--merchant'))
      .requiredOption('--file <path>', 'file to write: one JSON object per line, the counts last'),
  ).action(async (flags: ExportFlags) => operate(flags, (operator) => exportTo(operator, flags)));
}

/**
 * Writes a file with the rows as of one instant, and records the export. Throws `OperatorError`; then no
 * complete file is left.
 */
async function exportTo({ database, now }: Operator, { merchant: merchantId, file: path }: ExportFlags) {
  if (!(await isMerchant(database, merchantId))) throw new OperatorError(problems.noMerchant(merchantId));
  const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
    throw new OperatorError(problems.unwritableFile('--file', path), { cause: error });
  });
  const counts: Record<string, number> = {};
  try {
    await inTransaction(
      database,
      async (transaction) => {
        const write = async (tables: typeof exportedTables): Promise<void> => {
          for (const table of tables) {
            counts[table] ??= 0;
            for await (const rows of exportRows(transaction, table, merchantId)) {
              await file.write(rows.map((row) => `${JSON.stringify({ table, row })}\n`).join(''));
              counts[table] += rows.length;
            }
          }
        };
        await write(exportedTables);
        await exportFromArchive(transaction);
        await write(exportedFromArchive);
      },
      'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY',
    );
    await file.write(`${JSON.stringify({ end: { merchantId, rows: counts } })}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await inTransaction(database, (transaction) =>
    recordChange(transaction, {
      ...byOperator(now),
      merchantId,
      environment: null,
      action: 'merchant.exported',
      subject: { type: 'merchant', id: merchantId },
      before: null,
      after: { rows: counts },
    }),
  );
  return { merchantId, file: path, rows: counts };
}
