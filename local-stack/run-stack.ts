import type { Launch } from './launch.ts';
import { launch, refuseWrongSettings } from './launcher.ts';
import { parseOptions } from './options.ts';
import { StackProblem, codeOf, reasonOf } from './problem.ts';
import type { Output } from './progress.ts';
import type { Entries } from './services.ts';
import { type StackDescription, StackSession } from './session.ts';
import { type StopReason, listenForStop } from './stop-signals.ts';

const EXIT_CODES: Record<StopReason, number> = { SIGINT: 130, SIGTERM: 0, 'npm ended': 0 };

/** Some terminals claim to have no columns at all. */
const NARROWEST_DISPLAY = 40;

/**
 * Runs the stack until it is told to stop; returns the exit code. A StackProblem becomes one line on stderr.
 */
export async function runStack(args: readonly string[], entries: Entries): Promise<number> {
  const output = terminalOutput();
  try {
    const options = parseOptions(args);
    refuseWrongSettings(process.env, options);
    return await serve(output, (signal) => StackSession.open(options, output, signal), {
      options,
      entries,
      environment: process.env,
      output,
    });
  } catch (error) {
    const problem = error instanceof StackProblem ? error : fileProblem(error);
    if (problem === undefined) throw error;
    if (problem.message !== '') process.stderr.write(`error: ${problem.message}\n`);
    return problem.exitCode;
  }
}

/** A full disk, a directory of another user: the user's to mend, wherever in the start it shows. */
function fileProblem(error: unknown): StackProblem | undefined {
  if (!(error instanceof Error) || !('path' in error) || codeOf(error) === undefined) return undefined;
  return new StackProblem(`${reasonOf(error)}: mend it, or name another place with --data-dir`);
}

async function serve(
  output: Output,
  open: (signal: AbortSignal) => Promise<StackSession>,
  start: Omit<Launch, 'session' | 'signal'>,
): Promise<number> {
  let session: StackSession | undefined;
  const { signal, requested } = listenForStop(() => {
    session?.kill();
    process.exit(EXIT_CODES.SIGINT);
  });
  try {
    session = await open(signal);
    const description = await launch({ ...start, session, signal });
    for (const line of summary(description, session)) output.line(line);
    const reason = await requested;
    output.line(`Stopping (${reason}); once more to stop at once`);
    return EXIT_CODES[reason];
  } catch (error) {
    if (!signal.aborted) throw error;
    return EXIT_CODES[await requested];
  } finally {
    await session?.stop();
    if (signal.aborted) output.line('Stopped.');
  }
}

function summary(stack: StackDescription, { dataDir }: StackSession): string[] {
  const { baseUrl, merchantId, sandboxApiKey, demoPaymentId, temporalUiUrl } = stack;
  const workflows = `${temporalUiUrl}/namespaces/default/workflows`;
  // Without the filter refunds and deliveries hide the payments.
  const payments = `${workflows}?query=${encodeURIComponent('WorkflowType="paymentWorkflow"')}`;
  return [
    '',
    '✔ Ready',
    `  Dashboard     ${stack.dashboardUrl}`,
    '                (signs you in once; admin dashboard link makes another)',
    `  API           ${baseUrl}/v1 (reference: ${baseUrl}/docs)`,
    `  Merchant      ${merchantId}`,
    `  Sandbox key   ${sandboxApiKey}`,
    ...(temporalUiUrl === null ? [] : [`  Temporal UI   ${payments}`]),
    ...(demoPaymentId === null || temporalUiUrl === null
      ? []
      : [`  The demo      ${workflows}/payment-${demoPaymentId}`]),
    `  Vault         ${stack.vaultUrl}`,
    `  Network       ${stack.networkUrl}`,
    ...(stack.stripeUrl === undefined
      ? []
      : [`  Stripe        ${stack.stripeUrl} (dialect; PCI Vault ${stack.pciVaultUrl})`]),
    `  More          ${dataDir.stackFile}; logs in ${dataDir.logs}`,
    '',
    '  Next: create a hosted payment and open its checkoutUrl in a browser (card 4242 4242 4242 4242, any date and CVV)',
    `    curl -s ${baseUrl}/v1/payments -H 'Authorization: Bearer ${sandboxApiKey}' -H "Idempotency-Key: try-$(date +%s)-0001" \\`,
    `      -H 'Content-Type: application/json' -d '{"amountCents":1999,"currency":"USD","reference":"order-1","successUrl":"${baseUrl}/demo/thanks","cancelUrl":"${baseUrl}/demo/cart"}'`,
    '  Then: what happened, and what a shop of yours would hear',
    `    npm run --silent admin -- payment list --merchant ${merchantId} --environment sandbox`,
    '    npx card-payments listen --forward-to http://127.0.0.1:4242/webhook',
    '',
    '  Ctrl-C stops everything.',
  ];
}

/** A reader that went away (`npm start | head`) must not take the stack with it. */
function terminalOutput(): Output {
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
  return {
    display:
      process.stdout.isTTY && process.stdout.columns >= NARROWEST_DISPLAY && process.env['CI'] === undefined,
    line: (text) => process.stdout.write(`${text}\n`),
  };
}
