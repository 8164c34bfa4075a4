/* The texts of the operator command's verbs. Those of its failures are in problems.ts. */

/** The description of a verb, and an example that can be copied. */
interface VerbText {
  does: string;
  example: string;
}

const merchant = '--merchant 01980a5c-7a64-7c3e-9d1f-2b6f0c3e8a11';
const tenant = `${merchant} --environment sandbox`;
const payment = '--payment 01980a5d-1b2c-7d4e-8f90-a1b2c3d4e5f6';
const endpoint = '--endpoint 01980a5e-2c3d-7e4f-9a0b-1c2d3e4f5a6b';
const run = '--run 01980a5f-3d4e-7f50-8a1b-2c3d4e5f6a7b';
const event = '--event evt_5f0c2b7e9a41d83c6b2f0a9d';

/** The texts of every verb, by its words. */
export const verbs: Readonly<Record<string, VerbText>> = {
  'merchant create': {
    does: 'Create a merchant with the default settings in both environments',
    example: '--name "Corner shop"',
  },
  'merchant list': { does: 'List merchants, newest first', example: '' },
  'merchant activate': { does: 'Allow a merchant to call the API', example: merchant },
  'merchant disable': {
    does: 'Disable a merchant: its API calls get 401, and its checkout pages are closed',
    example: merchant,
  },
  'merchant sign-in': {
    does: 'Require the identity provider for sign-ins of the members of a merchant, or allow every way again',
    example: `${merchant} --require-identity-provider on`,
  },
  'settings set': {
    does: 'Change settings of a merchant in one environment and print all of them',
    example: `${tenant} --methods card,pix --custom-mode on`,
  },
  'risk show': {
    does: 'Show which limits on declined cards a merchant has reached, and what the limits are',
    example: tenant,
  },
  'risk clear': {
    does: 'End the refusals after many declined cards at once, and count the declines from 0',
    example: tenant,
  },
  'key create': {
    does: 'Create an API key; it is printed only once',
    example: `${tenant} --name backend`,
  },
  'key list': {
    does: 'List the keys of a merchant in one environment, with their scopes and last use',
    example: tenant,
  },
  'key revoke': { does: 'Revoke an API key', example: '--key k7Qp2xZa' },
  'keys rewrap': {
    does: 'Re-encrypt all sealed values with the first encryption key while the service runs',
    example: '',
  },
  'keys wrap': {
    does: 'Create a key, have the key service of KEY_ENCRYPTION wrap it, and print its entry for the setting',
    example: '--id k2',
  },
  'branding set': {
    does: 'Change the branding of the checkout page and print all of it; an empty text clears a value',
    example: `${tenant} --display-name "Corner shop" --accent "#1d4ed8"`,
  },
  'branding show': { does: 'Print the branding of the checkout page', example: tenant },
  'branding clear': { does: 'Remove the branding of the checkout page', example: tenant },
  'mail set': {
    does: 'Set the mail server of a merchant; receipts, invitations and notices are mailed from then on',
    example: `${tenant} --url-file smtp-url.txt --from receipts@shop.example`,
  },
  'mail show': { does: 'Print the mail server of a merchant and what waits for it', example: tenant },
  'mail remove': {
    does: 'Remove the mail server of a merchant; nothing is mailed any more',
    example: tenant,
  },
  'mail test': {
    does: 'Send a test mail over the mail server of a merchant now',
    example: `${tenant} --to you@shop.example`,
  },
  'payment list': {
    does: 'List payments of a merchant, newest first',
    example: `${tenant} --status paid --limit 20`,
  },
  'payment show': {
    does: 'Print what is stored about a payment, without secrets, and where to find its workflows',
    example: payment,
  },
  'payment why': {
    does: 'Print what a payment is waiting for, since when, and what happens next; null if it is not waiting',
    example: payment,
  },
  'payment timeline': {
    does: 'Print the timeline of a payment, oldest first; --only payment leaves out webhooks and API calls',
    example: payment,
  },
  'webhook create': {
    does: 'Add an endpoint; its signing secret is printed only once',
    example: `${tenant} --url https://shop.example/webhooks --events payment.paid,refund.*`,
  },
  'webhook list': { does: 'List the endpoints of a merchant', example: tenant },
  'webhook rotate': {
    does: 'Create a new secret for an endpoint; both secrets sign until the previous one expires',
    example: endpoint,
  },
  'webhook disable': { does: 'Stop deliveries to an endpoint', example: endpoint },
  'webhook enable': { does: 'Resume deliveries to an endpoint', example: endpoint },
  'webhook deliveries': { does: 'List the newest deliveries to an endpoint', example: endpoint },
  'webhook test': { does: 'Send a test event to an endpoint', example: endpoint },
  'webhook replay': {
    does: 'Send the events of a time range again',
    example: `${endpoint} --since 2030-01-01T00:00:00Z --dry-run`,
  },
  'event list': { does: 'List the events of a merchant, in the format of webhooks', example: tenant },
  'event show': { does: 'Print one event', example: event },
  'event redeliver': { does: 'Send one event again', example: event },
  'connector set': {
    does: 'Route new payments of a merchant to its own network and vault, or to the simulators',
    example:
      `${tenant} --kind stripe --secret-key-file sk.txt --publishable-key pk_test_… ` +
      '--vault-user u --vault-password-file p.txt --vault-key k --vault-passphrase-file pp.txt',
  },
  'connector check': {
    does: "Check with the providers that a merchant's credentials work, and print what they allow",
    example: tenant,
  },
  'connector list': { does: 'List the connectors of a merchant, including former ones', example: merchant },
  'connector rotate': {
    does: 'Replace the credentials of a connector with others of the same account, without an outage',
    example: `${tenant} --secret-key-file sk.txt`,
  },
  'dashboard link': {
    does: 'Create a link that signs the owner of a merchant in to the dashboard once',
    example: merchant,
  },
  'customer erase': {
    does: 'Remove the name, address and texts of a customer from the payments of a merchant',
    example: `${merchant} --email jane@example.com`,
  },
  'merchant export': {
    does: 'Write all rows of a merchant to a file, without secrets',
    example: `${merchant} --file merchant.jsonl`,
  },
  'event verify': {
    does: 'Verify that the events of a merchant were not changed since they were sealed',
    example: merchant,
  },
  'audit list': { does: 'List the changes to a merchant and who made them, newest first', example: merchant },
  'audit export': {
    does: 'Write the audit log of a merchant to a file',
    example: `${merchant} --file audit.jsonl`,
  },
  'audit verify': {
    does: 'Verify that an audit log was not changed or forged, in the database or in an exported --file',
    example: merchant,
  },
  'audit accept': {
    does: 'Accept entries without a signature, which an earlier version wrote during an upgrade',
    example: `${merchant} --until 40`,
  },
  doctor: {
    does:
      'Check settings, database, Temporal and providers, and name the fix of each fault; exit code ' +
      '3 if there is one',
    example: '--apis 2 --workers 2',
  },
  'reconcile run': {
    does:
      'Compare charges, refunds and disputes of the provider with the database; exit code 3 if ' +
      'something differs',
    example: `${tenant} --from 2030-03-01 --to 2030-04-01`,
  },
  'reconcile list': { does: 'List reconciliations, newest first', example: tenant },
  'reconcile show': { does: 'Show what a reconciliation found', example: `${run} --csv` },
  'reconcile settle': {
    does: 'Mark a difference that you have dealt with as settled, so that it no longer raises an alert',
    example: `${run} --difference 1 --note "refunded at the provider"`,
  },
  'deploy status': {
    does:
      'List the builds of the workers, their processes and open workflows; exit code 3 if work ' +
      'waits for a build without workers',
    example: '',
  },
  'deploy replay': {
    does:
      'Test whether a build can continue open and recently closed workflows, and name those that it ' +
      'cannot; exit code 3',
    example: '--bundle dist/src/workflow-bundle.js --limit 1000',
  },
  'deploy promote': {
    does:
      'Give new workflows to a build, and open ones that can move; refused if it cannot continue ' +
      'one of those',
    example: '--build 3f9a1c07b2de --percent 10',
  },
  'deploy rollback': {
    does: 'End a partial promotion, or make the previous build current again',
    example: '',
  },
  'deploy retire': {
    does: 'Delete a build that has no open workflow',
    example: '--build 3f9a1c07b2de',
  },
  'restore check': {
    does:
      'Find payments and refunds that the database lost and Temporal or the networks know; refuse ' +
      'writes if any are missing; exit code 3 if something is lost',
    example: '--since 2026-03-01T12:00:00Z',
  },
  'restore finish': {
    does: 'Write lost payments and refunds back, and accept writes again; you can repeat it',
    example: '--since 2026-03-01T12:00:00Z',
  },
  'restore failover': {
    does:
      'After a standby was promoted: name what the database lost and what to do; --finish writes it ' +
      'back; exit code 3 if something is to be done',
    example: '--since 2026-03-01T12:00:00Z',
  },
  'storage show': {
    does: 'Show rows, bytes and partitions of each table, largest first, and the bytes per payment',
    example: '',
  },
  'storage maintain': {
    does: 'Create missing partitions and drop expired ones, as the worker does by itself',
    example: '--at 2030-01-01T00:00:00Z --dry-run',
  },
  'alert list': { does: 'List what an operator must look at, oldest first', example: '' },
  'alert clear': {
    does: 'Clear an alert that you have dealt with; it is raised again if its cause remains',
    example: '--sweep "unexpected captures" --subject 01931c5e-0000-7000-8000-000000000000',
  },
};
