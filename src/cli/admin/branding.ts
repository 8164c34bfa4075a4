import { readFile, stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { checkBrandingChange } from '../../branding/change.ts';
import { maxLogoBytes } from '../../branding/logo.ts';
import { clearBranding, loadBranding, updateBranding } from '../../db/merchants/branding.ts';
import { type BrandingField, BrandingRefused, brandingFields, logoSlots } from '../../domain/branding.ts';
import type { Environment } from '../../domain/statuses.ts';
import { problems } from '../problems.ts';
import {
  byOperator,
  environmentFlag,
  operate,
  OperatorError,
  uuidFlag,
  withCommonFlags,
} from './operator.ts';

type BrandingFlags = Partial<Record<BrandingField, string>> & {
  merchant: string;
  environment: Environment;
  logo?: string;
  darkLogo?: string;
  dataDir: string;
};

/** `branding set|show|clear`: a merchant's branding of the checkout page. docs/checkout.md. */
export function brandingCommands(program: Command): void {
  const branding = program
    .command('branding')
    .description("The merchant's logo, color, name and links on the checkout page");
  const command = (name: string, does: string): Command =>
    withCommonFlags(
      branding
        .command(name)
        .description(does)
        .requiredOption('--merchant <id>', 'merchant id', uuidFlag('--merchant'))
        .requiredOption('--environment <name>', 'sandbox or live', environmentFlag),
    );

  command('show', 'print the branding').action(async (flags: BrandingFlags) =>
    operate(flags, async ({ database }) => ({
      ...(await loadBranding(database, tenantOf(flags))),
    })),
  );

  command('clear', 'remove the branding').action(async (flags: BrandingFlags) =>
    operate(flags, async ({ database, now }) => ({
      cleared: await clearBranding(database, tenantOf(flags), byOperator(now)),
    })),
  );

  command('set', 'change the given values and print all; an empty text clears a value')
    .option('--display-name <text>', "the shop's name, 1 to 60 characters")
    .option('--accent <color>', 'any color, such as #1d4ed8')
    .option('--logo <file>', 'PNG or SVG, 256 KB at most')
    .option('--dark-logo <file>', 'the logo for dark pages, likewise')
    .option('--support-email <address>', 'where customers ask for help')
    .option('--support-url <url>', 'where customers find help')
    .option('--terms-url <url>', 'terms of the shop')
    .option('--privacy-url <url>', 'privacy policy of the shop')
    .option('--statement-descriptor <text>', "as it appears on the customer's statement")
    .action(async (flags: BrandingFlags) =>
      operate(flags, async ({ database, settings, now }) => {
        const updated = await checked(flags, settings.DEPLOYMENT !== 'production')
          .then((change) => updateBranding(database, tenantOf(flags), change, byOperator(now)))
          .catch(refuse);
        if (!updated) throw new OperatorError(problems.noMerchant(flags.merchant));
        return { ...updated };
      }),
    );
}

const tenantOf = ({ merchant, environment }: BrandingFlags) => ({ merchantId: merchant, environment });

async function checked(flags: BrandingFlags, allowHttpLoopback: boolean) {
  const changes = Object.fromEntries(
    brandingFields
      .filter((field) => flags[field] !== undefined)
      .map((field) => [field, flags[field] === '' ? null : flags[field]]),
  );
  const logos: { logo?: Buffer | null; darkLogo?: Buffer | null } = {};
  for (const slot of logoSlots) {
    const path = flags[slot];
    if (path !== undefined) logos[slot] = path === '' ? null : await logoFile(flag(slot), path);
  }
  return checkBrandingChange({ ...changes, ...logos }, { allowHttpLoopback });
}

function refuse(error: unknown): never {
  if (!(error instanceof BrandingRefused)) throw error;
  throw new OperatorError(`${flag(error.field)} ${error.reason}`);
}

const flag = (field: string): string =>
  `--${field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

async function logoFile(name: string, path: string): Promise<Buffer> {
  try {
    const { size } = await stat(path);
    if (size > maxLogoBytes) {
      throw new OperatorError(problems.logoTooLarge(name, Math.ceil(size / 1024), maxLogoBytes / 1024));
    }
    return await readFile(path);
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(problems.unreadableFile(name, path));
  }
}
