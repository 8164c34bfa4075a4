import { Command, CommanderError } from 'commander';
import { type CheckOptions, checkReceiver } from './check-receiver/checks.ts';

interface Flags {
  secret?: string;
  fulfilmentsUrl?: string;
  reference: string;
  json?: boolean;
}

/**
 * `check-receiver URL`: sends a merchant's endpoint the deliveries that occur in practice, and reports its
 * mistakes. Exits 0 when every check passed, 1 otherwise. For endpoints of your own only.
 */
const program = new Command('check-receiver')
  .description('Try a webhook receiver with duplicates, reordering, bad signatures, old and slow deliveries.')
  .argument('<url>', 'your endpoint')
  .option('--secret <whsec_…>', 'its signing secret; else WEBHOOK_SECRET')
  .option('--fulfilments-url <url>', 'answers the number of fulfilled orders: a number, or {"count": n}')
  .option('--reference <text>', 'order reference the deliveries carry', 'check-receiver')
  .option('--json', 'print one JSON object')
  .exitOverride()
  .configureOutput({ writeErr: () => undefined });

try {
  program.parse();
  const flags = program.opts<Flags>();
  const [url = ''] = program.args;
  const failed = await run(url, flags);
  process.exitCode = failed === 0 ? 0 : 1;
} catch (error) {
  if (!(error instanceof CommanderError && error.exitCode === 0)) {
    process.stderr.write(`${error instanceof Error ? error.message.replace(/^error: /, '') : 'failed'}\n`);
    process.exitCode = 1;
  }
}

async function run(url: string, flags: Flags): Promise<number> {
  const secret = flags.secret ?? process.env['WEBHOOK_SECRET'] ?? '';
  if (!/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(secret)) {
    throw new Error('--secret must be the signing secret of the endpoint, whsec_…');
  }
  if (!URL.canParse(url) || !/^https?:/.test(url)) throw new Error(`${url} is not a URL`);
  const options: CheckOptions = {
    url,
    secret,
    reference: flags.reference,
    fulfilmentsUrl: flags.fulfilmentsUrl ?? null,
  };
  const text = flags.json !== true;
  const results = await checkReceiver(options, ({ title, fault, unchecked }) => {
    const mark = fault === null ? (unchecked === null ? '✔' : '–') : '✘';
    const why = fault ?? unchecked;
    if (text) process.stdout.write(`${mark} ${title}\n${why === null ? '' : `    ${why}\n`}`);
  });
  const failed = results.filter(({ fault }) => fault !== null).length;
  const unchecked = results.filter((one) => one.fault === null && one.unchecked !== null).length;
  const passed = results.length - failed - unchecked;
  process.stdout.write(
    text
      ? `${passed} of ${results.length} checks passed${unchecked === 0 ? '' : `, ${unchecked} only in part`}\n`
      : `${JSON.stringify({ url, passed, failed, unchecked, results })}\n`,
  );
  return failed;
}
