/*
 * The texts of the operator command: the description of its verbs, and the line that explains each failure.
 * The line names the thing at fault and what to do.
 */

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
  'merchant disable': { does: 'Answer every call of a merchant with 401', example: merchant },
  'merchant sign-in': {
    does: 'Have the members of a merchant sign in at the identity provider alone, or as they like',
    example: `${merchant} --require-identity-provider on`,
  },
  'settings set': {
    does: 'Change settings of a merchant in one environment and print all of them',
    example: `${tenant} --methods card,pix --custom-mode on`,
  },
  'risk show': {
    does: 'Show what is refused because cards seem to be tested, and the limits',
    example: tenant,
  },
  'risk clear': {
    does: 'Forget the declines of a merchant, so that it sells again at once',
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
    does: 'Make an encryption key, and print the entry that the key service of KEY_ENCRYPTION wrapped',
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
    does: 'Accept entries without a signature that an earlier build wrote during an update',
    example: `${merchant} --until 40`,
  },
  doctor: {
    does: 'Look at everything a start depends on, and name the fix of each fault; exit code 3 when there is one',
    example: '--apis 2 --workers 2',
  },
  'reconcile run': {
    does: 'Compare the charges, refunds and disputes of the provider with the rows',
    example: `${tenant} --from 2030-03-01 --to 2030-04-01`,
  },
  'reconcile list': { does: 'List reconciliations, newest first', example: tenant },
  'reconcile show': { does: 'Show what a reconciliation found', example: `${run} --csv` },
  'reconcile settle': {
    does: 'Settle a difference that was dealt with, so that it alerts no more',
    example: `${run} --difference 1 --note "refunded at the provider"`,
  },
  'deploy status': {
    does: 'List the builds of the workers, their processes and open workflows; exit code 3 when runs wait for workers that are gone',
    example: '',
  },
  'deploy replay': {
    does: 'Replay open and lately closed workflows with a build, and name those that it cannot continue; exit code 3',
    example: '--bundle dist/src/workflow-bundle.js --limit 1000',
  },
  'deploy promote': {
    does: 'Give new workflows to a build, and open ones that move; refused while one of those does not replay',
    example: '--build 3f9a1c07b2de --percent 10',
  },
  'deploy rollback': {
    does: 'End a partial promotion, or make the build current that was so before',
    example: '',
  },
  'deploy retire': {
    does: 'Delete a build on which nothing is open',
    example: '--build 3f9a1c07b2de',
  },
  'restore check': {
    does: 'Compare the rows with what Temporal and the networks know, change nothing but hold writes where payments are missing; exit code 3 when something is lost',
    example: '--since 2026-03-01T12:00:00Z',
  },
  'restore finish': {
    does: 'Write back what Temporal and the networks know, and accept writes again; may be repeated',
    example: '--since 2026-03-01T12:00:00Z',
  },
  'restore failover': {
    does: 'After a standby was promoted: say whether rows went back, what is lost and what to do; with --finish write it back; exit code 3 when something is to be done',
    example: '--since 2026-03-01T12:00:00Z',
  },
  'storage show': {
    does: 'Show rows, bytes and partitions of each table, largest first, and the bytes per payment',
    example: '',
  },
  'storage maintain': {
    does: 'Make the partitions that are missing and drop those past their retention, as the worker does by itself',
    example: '--at 2030-01-01T00:00:00Z --dry-run',
  },
  'alert list': { does: 'List what needs the operator, oldest first', example: '' },
  'alert clear': {
    does: 'Clear an alert that was dealt with; one whose cause remains is raised again',
    example: '--sweep "unexpected captures" --subject 01931c5e-0000-7000-8000-000000000000',
  },
};

/** The line of each failure. */
export const problems = {
  verb: (noun: string, given: string | undefined, known: string) =>
    `${noun} ${given === undefined ? 'needs a verb' : `has no verb ${given}`}: ${known}`,
  noMerchant: (id: string) => `no merchant ${id}`,
  noIdentityProvider: 'OIDC_ISSUER is unset, so no member could sign in: set up the identity provider first',
  noOwnerAddress: (id: string) =>
    `no owner of ${id} has an e-mail address, so no owner could sign in: enter it under Team first`,
  noRun: (id: string) => `no reconciliation ${id}`,
  noDifference: (id: string, number: number) =>
    `no difference ${number} of the reconciliation ${id} needs attention`,
  noLists: (environment: string) =>
    `the merchant has no connector in ${environment}; set one with admin connector set`,
  runContinues: (id: string) =>
    `the reconciliation ${id} is still running; is a worker running? see admin reconcile show --run ${id}`,
  spanOrder: '--to must be after --from',
  spanLength: (days: number) => `--from and --to may be ${days} days apart at most`,
  reconcileNote: '--note must have 1 to 1,000 characters',
  noPayment: (id: string) => `no payment ${id}`,
  noKey: (id: string) => `no key ${id}`,
  noEvent: (id: string) => `no event ${id}`,
  noEndpoint: (id: string) => `no endpoint ${id}`,
  inactiveMerchant: (id: string) => `merchant ${id} is not active: run merchant activate first`,
  disabledEndpoint: (id: string) => `endpoint ${id} is disabled: run webhook enable first`,
  tooManyEndpoints:
    'the merchant has the maximum number of endpoints: delete one first in the dashboard or with the API',
  noAlert: (sweep: string, subject: string) =>
    `no alert of '${sweep}' is raised for '${subject}': alert list shows those that are`,
  noRunningStack: (path: string) =>
    `no running stack at ${path}: run npm start, pass --data-dir, or set DATABASE_URL`,
  databaseUnreachable: 'the database is not reachable: check DATABASE_URL, or run npm start first',
  failed: (reason: string) => `failed: ${reason}`,

  temporalUnreachable: (address: string, namespace: string, reason: string) =>
    `TEMPORAL_ADDRESS: the namespace ${namespace} of Temporal at ${address} cannot be read (${reason}): start it, or correct address and namespace`,
  noBuild: (build: string) =>
    `no worker of build ${build} has ever polled: start one with WORKER_BUILD_ID=${build}, or see deploy status`,
  noWorkers: (build: string) => `no worker of build ${build} runs: start one with WORKER_BUILD_ID=${build}`,
  unpolledQueue: (build: string, queue: string) =>
    `no worker of build ${build} polls the queue ${queue}: start one with ${queue} in WORKER_ROLES`,
  otherBundle: (build: string, bundle: string) =>
    `${bundle} does not hold the workflows of build ${build}: name that build's workflow-bundle.js by --bundle`,
  noBundle: (bundle: string, reason: string) =>
    `--bundle: ${bundle} cannot be run (${reason}): name a workflow-bundle.js that npm run build wrote`,
  nothingBefore: 'no build was current before: promote one by deploy promote --build',
  buildInUse: (build: string) => `build ${build} gets new runs: promote another build first`,
  notRetired: (build: string, reason: string) =>
    `build ${build} cannot be retired (${reason}): stop its workers, and try again after five minutes`,

  oneOf: (flag: string, values: readonly string[]) => `${flag} must be one of ${values.join(', ')}`,
  either: (flag: string, values: readonly string[]) => `${flag} must be ${values.join(' or ')}`,
  listOf: (flag: string, values: readonly string[]) =>
    `${flag} must be a comma-separated list of ${values.join(', ')}`,
  cents: (flag: string) => `${flag} must be a whole number of US cents, such as 50000`,
  addresses: (flag: string, max: number) =>
    `${flag} must be a comma-separated list of at most ${max} IP addresses and networks, such as 10.0.0.0/8,192.0.2.7`,
  declines: (flag: string, max: number) => `${flag} must be a whole number from 0 (never) to ${max}`,
  uuid: (flag: string) => `${flag} must be a UUID`,
  wholeNumber: (flag: string, max: number) => `${flag} must be a whole number from 1 to ${max}`,
  cursor: '--cursor must be a nextCursor that the same command printed with the same flags',
  instant: (flag: string) => `${flag} must be an instant such as 2030-01-01T00:00:00Z`,
  eventId: '--event must be the id of an event, evt_…',
  eventTypes: 'event types must be like payment.paid or payment.*, separated by commas',
  origin: (part: string) => `--embedding-origins: ${part} is not an origin such as https://shop.example`,
  invalidUrl: (reason: string) => `--url ${reason}`,
  mailFrom: (reason: string) => `--from ${reason}`,
  mailTo: '--to must be an e-mail address such as you@shop.example',
  noMailServer: 'no mail server: run mail set first',
  atFarAway: (days: number) => `--at may be ${days} days away at most`,
  notPromoted:
    "DATABASE_URL is a standby that was not promoted: promote it with pg_promote, or set the new primary's address",
  sinceInFuture: '--since must be in the past',
  sinceNotBeforeUntil: '--since must be before --until and in the past',
  createdLater: (instant: string) => `the payment was created after ${instant}`,

  logoTooLarge: (flag: string, kilobytes: number, max: number) =>
    `${flag} is ${kilobytes} KB; the maximum is ${max} KB`,
  wrapsNothing: 'KEY_ENCRYPTION is local, which wraps nothing: set awsKms or vaultTransit',
  idOrFile: 'give either --id or --file',
  keyId: '--id must have 1 to 32 characters of a-z, 0-9 and -, and not be "derived"',
  unreadableFile: (flag: string, path: string) => `${flag}: cannot read ${path}`,
  unwritableFile: (flag: string, path: string) => `${flag}: cannot write ${path}`,

  auditMerchantOrFile: 'give either --merchant or --file',
  auditChanged: (what: string) => `the audit log is not valid: ${what}`,
  auditHeadDiffers: (sequence: number) => `entry ${sequence} is not the entry that was recorded as the last`,
  auditCut: (sequence: number, recorded: number) =>
    `it ends at entry ${sequence}, but entry ${recorded} was recorded as the last`,
  customerEmail: '--email must be an e-mail address',
  customerOpen: (open: number) =>
    `${open} payments of this customer are open or disputed: wait until they have ended`,
  customerUnknown: 'no payment of this merchant has that address',
  customerErased: (at: string) => `this customer was erased on ${at}: no payment has the address any more`,
  eventsChanged: (environment: string, what: string) =>
    `the event log (${environment}) is not valid: ${what}`,
  auditShorter: (last: number) => `--until: the log ends at entry ${last}`,
  publicKeyOfFile: '--public-key needs --file: the database has its own key',
  auditUnsigned: 'it has no signature, and --public-key asks for one',
  auditEndForged: 'its end is not signed by the key of this service',
  auditHeadUnknown: 'the hash given by --head is not in the chain',
  auditWithoutEnd: (path: string) => `${path} does not end like an export: it is cut off or is not an export`,
  auditAfterEnd: (path: string, line: number) => `${path}: line ${line} comes after the end of the export`,
  auditNoEntry: (path: string, line: number) => `${path}: line ${line} is not an entry of an audit log`,

  liveNeedsStripe: 'the simulators accept no live payments: --kind must be stripe',
  uselessCredential: (flag: string) => `--${flag} cannot be combined with --kind simulator`,
  missingCredential: (flag: string) => `--${flag} or --${flag}-file is missing`,
  nothingToRotate: 'nothing to rotate: give at least one credential',
  otherAccount: (given: string, connected: string) =>
    `the key belongs to ${given}, the connector to ${connected}: use connector set for another account`,
  connectorChanged: 'the connector was changed in the meantime: run connector rotate again',
  liveWithoutConnector: 'no connector: live payments are refused until you run connector set',
  accountChanged: (given: string, connected: string) =>
    `the key now belongs to ${given}, no longer to ${connected}`,
  noConnector: 'no connector: run connector set first',
  developmentOnly: '--api-base and --vault-base are for development only',
  textAndFile: (flag: string) => `give --${flag} or --${flag}-file, not both`,
  credentialFileTooLarge: (flag: string) => `--${flag}-file holds more than one credential`,
  invalidCredential: (flag: string, reason: string) => `--${flag} is invalid: ${reason}`,
};
