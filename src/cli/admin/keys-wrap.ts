import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { parseKeys } from '../../crypto/key-list.ts';
import { wrapKey } from '../../key-encryption/key-lists.ts';
import { readKeyEncryptionSettings, SettingsError } from '../../runtime/settings.ts';
import { problems } from '../problems.ts';
import { OperatorError, print, type PrintFlags, withCommonFlags } from './operator.ts';

const keySettings = ['ENCRYPTION_KEYS', 'LOOKUP_KEYS'];

interface WrapFlags extends PrintFlags {
  id?: string;
  setting: string;
  file?: string;
}

/**
 * `keys wrap`: makes a key, or reads the keys of a file, and prints the setting's entry as wrapped by the key
 * service of KEY_ENCRYPTION. Needs no database. docs/security.md, "Keys in a key service".
 */
export function wrapVerb(keys: Command): void {
  withCommonFlags(keys.command('wrap'))
    .option('--id <id>', 'make a new key with this id')
    .option('--file <path>', 'wrap the keys of this file (id:base64,id:base64) instead')
    .option(
      '--setting <name>',
      'ENCRYPTION_KEYS or LOOKUP_KEYS: an entry works in its setting alone',
      'ENCRYPTION_KEYS',
    )
    .action(async (flags: WrapFlags) => {
      const { setting } = flags;
      if (!keySettings.includes(setting)) throw new OperatorError(problems.either('--setting', keySettings));
      if ((flags.id === undefined) === (flags.file === undefined)) {
        throw new OperatorError(problems.idOrFile);
      }
      const settings = keyServiceSettings();
      if (settings.KEY_ENCRYPTION === 'local') throw new OperatorError(problems.wrapsNothing);
      const found = keysOf(setting, flags);
      try {
        const entries = await Promise.all(
          found.map(async ({ id, bytes }) => wrapKey(settings, { setting, id, key: bytes })),
        );
        print({ setting, keyEncryption: settings.KEY_ENCRYPTION, value: entries.join(',') }, flags);
      } catch (error) {
        throw new OperatorError(error instanceof Error ? error.message : 'unknown error', { cause: error });
      }
    });
}

function keysOf(setting: string, { id = '', file }: WrapFlags) {
  const text = file === undefined ? `${id}:${randomBytes(32).toString('base64')}` : readKeys(file);
  try {
    return parseKeys(setting, text);
  } catch (error) {
    // The reason concerns the list's format, and its text contains no key.
    const reason = error instanceof Error ? error.message : 'unknown error';
    throw new OperatorError(file === undefined ? problems.keyId : `${file}: ${reason}`);
  }
}

function readKeys(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new OperatorError(problems.unreadableFile('--file', file));
  }
}

function keyServiceSettings() {
  try {
    return readKeyEncryptionSettings(process.env);
  } catch (error) {
    if (error instanceof SettingsError) throw new OperatorError(error.message, { cause: error });
    throw error;
  }
}
