import { resolve } from 'node:path';
import type { DataDir } from './data-dir.ts';
import { DEFAULT_DATA_DIR } from './options.ts';
import type { StackDescription } from './session.ts';

type Printed = Pick<
  StackDescription,
  | 'baseUrl'
  | 'vaultUrl'
  | 'networkUrl'
  | 'stripeUrl'
  | 'pciVaultUrl'
  | 'temporalUiUrl'
  | 'merchantId'
  | 'sandboxApiKey'
  | 'demoPaymentId'
  | 'dashboardUrl'
>;

/**
 * Returns the lines that `npm start` prints when the stack is ready. Every printed command works in another
 * terminal: it carries `--data-dir` when the stack does not keep its data in the default directory.
 */
export function summary(stack: Printed, dataDir: Pick<DataDir, 'path' | 'stackFile' | 'logs'>): string[] {
  const { baseUrl, merchantId, sandboxApiKey } = stack;
  const flag = dataDirFlag(dataDir.path);
  const admin = `npm run --silent admin --`;
  return [
    '',
    '✔ Ready',
    `  Dashboard     ${stack.dashboardUrl}`,
    `                (signs you in once; for another link: ${admin} dashboard link --merchant ${merchantId}${flag})`,
    `  API           ${baseUrl}/v1 (reference: ${baseUrl}/docs, guides: ${baseUrl}/guides/)`,
    `  Merchant      ${merchantId}`,
    `  Sandbox key   ${sandboxApiKey}`,
    ...workflowLines(stack),
    `  Vault         ${stack.vaultUrl}`,
    `  Network       ${stack.networkUrl}`,
    ...(stack.stripeUrl === undefined
      ? []
      : [`  Stripe        ${stack.stripeUrl} (dialect; PCI Vault ${stack.pciVaultUrl})`]),
    `  More          ${dataDir.stackFile}; logs in ${dataDir.logs}`,
    '',
    '  Next: create a hosted payment and open its checkoutUrl in a browser (card 4242 4242 4242 4242, any future date, any CVV)',
    `    curl -s ${baseUrl}/v1/payments -H 'Authorization: Bearer ${sandboxApiKey}' -H "Idempotency-Key: try-$(date +%s)-0001" \\`,
    `      -H 'Content-Type: application/json' -d '{"amountCents":1999,"currency":"USD","reference":"order-1","successUrl":"${baseUrl}/demo/thanks","cancelUrl":"${baseUrl}/demo/cart"}'`,
    '  Then: see what happened, and forward webhooks to a shop on this machine',
    `    ${admin} payment list --merchant ${merchantId} --environment sandbox${flag}`,
    ...(stack.demoPaymentId === null
      ? []
      : [`    ${admin} payment timeline --payment ${stack.demoPaymentId}${flag}`]),
    `    npx card-payments listen --forward-to http://127.0.0.1:4242/webhook${flag}`,
    '',
    '  Ctrl-C stops everything.',
  ];
}

function workflowLines({ temporalUiUrl, demoPaymentId }: Printed): string[] {
  if (temporalUiUrl === null) return [];
  const workflows = `${temporalUiUrl}/namespaces/default/workflows`;
  // Without the filter, refunds and deliveries hide the payments.
  const payments = `${workflows}?query=${encodeURIComponent('WorkflowType="paymentWorkflow"')}`;
  return [
    `  Temporal UI   ${payments}`,
    ...(demoPaymentId === null ? [] : [`  The demo      ${workflows}/payment-${demoPaymentId}`]),
  ];
}

/**
 * Returns the flag by which other commands find a stack outside the default directory, quoted for a shell.
 */
function dataDirFlag(path: string): string {
  if (path === resolve(DEFAULT_DATA_DIR)) return '';
  const quoted = /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
  return ` --data-dir ${quoted}`;
}
