import type { Command } from 'commander';
import { OperatorError } from './operator.ts';

/** What a verb does, and a call of it that can be copied. */
interface About {
  does: string;
  example: string;
}

const merchant = '--merchant 01980a5c-7a64-7c3e-9d1f-2b6f0c3e8a11';
const tenant = `${merchant} --environment sandbox`;
const payment = '--payment 01980a5d-1b2c-7d4e-8f90-a1b2c3d4e5f6';
const endpoint = '--endpoint 01980a5e-2c3d-7e4f-9a0b-1c2d3e4f5a6b';
const event = '--event evt_5f0c2b7e9a41d83c6b2f0a9d';

/** Every verb, by its words. */
export const verbs: Readonly<Record<string, About>> = {
  'merchant create': {
    does: 'Make a merchant, with the default settings in both environments',
    example: '--name "Corner shop"',
  },
  'merchant list': { does: 'List merchants, newest first', example: '' },
  'merchant activate': { does: 'Let a merchant call the API', example: merchant },
  'merchant disable': { does: 'Answer 401 to every call of a merchant', example: merchant },
  'settings set': {
    does: 'Change settings of a merchant in one environment, and print all of them',
    example: `${tenant} --methods card,pix --custom-mode on`,
  },
  'key create': {
    does: 'Make an API key; it is shown this once',
    example: `${tenant} --name backend`,
  },
  'key revoke': { does: 'End an API key', example: '--key k7Qp2xZa' },
  'keys rewrap': {
    does: 'Seal everything anew under the first of the keys, beside the running service',
    example: '',
  },
  'branding set': {
    does: 'Change how checkout pages look, and print all of it; an empty text clears',
    example: `${tenant} --display-name "Corner shop" --accent "#1d4ed8"`,
  },
  'branding show': { does: 'Print how checkout pages look', example: tenant },
  'branding clear': { does: 'Forget how checkout pages look', example: tenant },
  'payment list': {
    does: 'List payments of a merchant, newest first',
    example: `${tenant} --status paid --limit 20`,
  },
  'payment show': {
    does: 'Print what is stored of a payment, without secrets, and where its workflows are seen',
    example: payment,
  },
  'payment why': {
    does: 'Print whom a payment waits for, since when, and what happens next; null for nobody',
    example: payment,
  },
  'payment timeline': {
    does: 'Print all that happened to a payment, oldest first; --only payment: without webhooks and calls of the API',
    example: payment,
  },
  'webhook create': {
    does: 'Add an endpoint; its signing secret is shown this once',
    example: `${tenant} --url https://shop.example/webhooks --events payment.paid,refund.*`,
  },
  'webhook list': { does: 'List the endpoints of a merchant', example: tenant },
  'webhook rotate': { does: 'Give an endpoint a new secret; both sign for a while', example: endpoint },
  'webhook disable': { does: 'Send nothing more to an endpoint', example: endpoint },
  'webhook enable': { does: 'Send to an endpoint again', example: endpoint },
  'webhook deliveries': { does: 'List the newest deliveries to an endpoint', example: endpoint },
  'webhook test': { does: 'Send a test event to an endpoint', example: endpoint },
  'webhook replay': {
    does: 'Send again what happened in a span of time',
    example: `${endpoint} --since 2030-01-01T00:00:00Z --dry-run`,
  },
  'event list': { does: 'List the events of a merchant, as webhooks carry them', example: tenant },
  'event show': { does: 'Print one event', example: event },
  'event redeliver': { does: 'Send one event again', example: event },
  'connector set': {
    does: 'Send new payments of a merchant to its own network and vault, or to the simulators',
    example:
      `${tenant} --kind stripe --secret-key-file sk.txt --publishable-key pk_test_… ` +
      '--vault-user u --vault-password-file p.txt --vault-key k --vault-passphrase-file pp.txt',
  },
  'connector check': {
    does: "Ask the providers whether a merchant's credentials work, and what they allow",
    example: tenant,
  },
  'connector list': { does: 'List the connectors of a merchant, also former ones', example: merchant },
  'connector rotate': {
    does: 'Give a connector other credentials of the same account, without an outage',
    example: `${tenant} --secret-key-file sk.txt`,
  },
  'dashboard link': {
    does: 'Make a link that signs the owner of a merchant in to the dashboard, once',
    example: merchant,
  },
  'audit list': { does: 'List who changed what of a merchant, newest first', example: merchant },
  'audit export': {
    does: 'Write the audit trail of a merchant to a file',
    example: `${merchant} --file audit.jsonl`,
  },
  'audit verify': {
    does: 'Find out whether an audit trail was changed: in the database, or an exported --file',
    example: merchant,
  },
  'alert list': { does: 'What the sweeps cannot look at, oldest first', example: '' },
};

const call = 'npm run --silent admin --';

/**
 * Refuses a noun without a verb of its own in one line that names those it has. Call it when all commands are
 * added.
 */
export function addMissingVerbs(program: Command): void {
  for (const noun of program.commands) {
    const known = noun.commands.map((verb) => verb.name()).join(', ');
    noun.allowExcessArguments().action((_flags, { args }: Command) => {
      const [given] = args;
      const what = given === undefined ? 'needs a verb' : `has no verb ${given}`;
      throw new OperatorError(`${noun.name()} ${what}: ${known}`);
    });
  }
}

/**
 * Gives every verb its description and example, and the program's own help the list of all verbs with the
 * flags they require. Call it when all commands are added; throws for a verb without an entry.
 */
export function addHelp(program: Command): void {
  const lines: string[] = [];
  for (const noun of program.commands) {
    for (const verb of noun.commands) {
      const words = `${noun.name()} ${verb.name()}`;
      const about = verbs[words];
      if (!about) throw new Error(`the verb ${words} has no entry in the help`);
      verb.description(about.does);
      verb.addHelpText('after', `\nExample:\n  ${`${call} ${words} ${about.example}`.trim()}`);
      const required = verb.options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags);
      lines.push(`  ${[words, ...required].join(' ')}`, `      ${about.does}`);
    }
  }
  const example = `${call} payment list ${verbs['payment list']?.example}`;
  const title = 'Verbs, with the flags they require (all flags of one: admin <noun> <verb> --help):';
  program.addHelpText('after', `\n${title}\n${lines.join('\n')}\n\nExample:\n  ${example}\n`);
}
