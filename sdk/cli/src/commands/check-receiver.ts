import { type Command, Option } from 'commander';
import { type CheckOptions, checkReceiver } from '../check-receiver/checks.ts';
import { Unreachable } from '../check-receiver/delivery.ts';
import { withJson } from '../command.ts';
import { CliError, exitCodes, misused } from '../errors.ts';
import { createOutput } from '../output.ts';

interface Flags {
  secret?: string;
  fulfillmentsUrl?: string;
  fulfilmentsUrl?: string;
  reference: string;
  json?: boolean;
}

/**
 * `check-receiver URL`: sends a merchant's endpoint the deliveries that occur in practice, and reports its
 * mistakes. Exits 0 when every check passed, 1 after a failed one. For endpoints of your own only.
 */
export function addCheckReceiver(program: Command): void {
  withJson(program.command('check-receiver'))
    .description(
      'Try a webhook receiver with duplicates, reordering, bad signatures, old and slow deliveries.',
    )
    .argument('<url>', 'your endpoint')
    .option('--secret <whsec_…>', 'its signing secret; else WEBHOOK_SECRET')
    .option('--fulfillments-url <url>', 'answers the number of fulfilled orders: a number, or {"count": n}')
    // The spelling of 0.1.0.
    .addOption(new Option('--fulfilments-url <url>').hideHelp())
    .option('--reference <text>', 'order reference the deliveries carry', 'check-receiver')
    .action(check);
}

async function check(url: string, flags: Flags): Promise<void> {
  const secret = flags.secret ?? process.env['WEBHOOK_SECRET'] ?? '';
  if (!/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(secret)) {
    throw misused('--secret must be the signing secret of the endpoint, whsec_…');
  }
  if (!URL.canParse(url) || !/^https?:/.test(url)) throw misused(`${url} is not a URL`);
  const options: CheckOptions = {
    url,
    secret,
    reference: flags.reference,
    fulfillmentsUrl: flags.fulfillmentsUrl ?? flags.fulfilmentsUrl ?? null,
  };
  const output = createOutput(flags);
  const results = await checkReceiver(options, ({ title, fault, unchecked }) => {
    if (output.json) return;
    const mark = fault === null ? (unchecked === null ? '✔' : '–') : '✘';
    const why = fault ?? unchecked;
    process.stdout.write(`${mark} ${title}\n${why === null ? '' : `    ${why}\n`}`);
  }).catch((error: unknown) => {
    throw error instanceof Unreachable ? new CliError(error.message, exitCodes.unreached) : error;
  });
  const failed = results.filter(({ fault }) => fault !== null).length;
  const unchecked = results.filter((one) => one.fault === null && one.unchecked !== null).length;
  const passed = results.length - failed - unchecked;
  const inPart = unchecked === 0 ? '' : `, ${unchecked} only in part`;
  output.result(
    { url, passed, failed, unchecked, results },
    () => `${passed} of ${results.length} checks passed${inPart}`,
  );
  if (failed > 0) process.exitCode = exitCodes.refused;
}
