/*
 * The texts of the operator command's failures: one line each, which names the thing at fault and what to do.
 */

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
    `no alert '${sweep}' is open for '${subject}': see admin alert list`,
  noRunningStack: (path: string) =>
    `no running stack at ${path}: run npm start, pass --data-dir, or set DATABASE_URL`,
  databaseUnreachable: 'the database is not reachable: check DATABASE_URL, or run npm start first',
  failed: (reason: string) => `failed: ${reason}`,

  temporalUnreachable: (address: string, namespace: string, reason: string) =>
    `TEMPORAL_ADDRESS: the namespace ${namespace} of Temporal at ${address} cannot be read (${reason}): start it, or correct address and namespace`,
  noBuild: (build: string) =>
    `no worker of build ${build} has ever run: start one with WORKER_BUILD_ID=${build}, or see admin deploy status`,
  noWorkers: (build: string) => `no worker of build ${build} runs: start one with WORKER_BUILD_ID=${build}`,
  unpolledQueue: (build: string, queue: string) =>
    `no worker of build ${build} polls the queue ${queue}: start one with ${queue} in WORKER_ROLES`,
  otherBundle: (build: string, bundle: string) =>
    `${bundle} is not of build ${build}: give the workflow-bundle.js of that build with --bundle`,
  noBundle: (bundle: string, reason: string) =>
    `--bundle: ${bundle} cannot be run (${reason}): give a workflow-bundle.js that npm run build wrote`,
  nothingBefore: 'no other build was current before: promote one with admin deploy promote --build',
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
