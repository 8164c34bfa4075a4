import { resolve } from 'node:path';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { StackProblem } from './problem.ts';

/**
 * `dev`: the dev server of the Temporal CLI; `server`: the real server, on the embedded PostgreSQL;
 * `cluster`: the real server as six processes on three PostgreSQL servers.
 */
export type TemporalKind = (typeof temporalKinds)[number];

export const temporalKinds = ['dev', 'server', 'cluster'] as const;

/** Where the sandbox merchant's payments go: the simulators, or the dialects of Stripe and PCI Vault. */
export type ConnectorChoice = (typeof connectorChoices)[number];

const connectorChoices = ['simulator', 'stripe-dialect'] as const;

/**
 * `async`: the primary waits for no standby; `sync`: a commit is answered when the standby has it on disk.
 */
export type StandbyMode = (typeof standbyModes)[number];

export const standbyModes = ['async', 'sync'] as const;

export interface StackOptions {
  /** Port of the API; undefined: 3000, or a free one when that is busy. */
  port: number | undefined;
  dataDir: string;
  fresh: boolean;
  demo: boolean;
  guides: boolean;
  workers: number;
  apis: number;
  temporal: TemporalKind;
  connector: ConnectorChoice;
  /** A streaming replica of the service's own database; undefined: none. */
  standby?: StandbyMode | undefined;
}

/** Data directory without `--data-dir`, below the working directory; that of the other commands too. */
export const DEFAULT_DATA_DIR = '.local';

const USAGE_EXIT_CODE = 2;
const MAX_PROCESSES = 32;

/**
 * Parses the flags of `npm start` (docs/operations.md). Throws StackProblem: with exit code 2 for a wrong
 * flag, with an empty message and exit code 0 after printing the help.
 */
export function parseOptions(args: readonly string[]): StackOptions {
  const command = new Command('npm start --')
    .description(
      'Runs the whole card payment service on this machine: PostgreSQL, Temporal, API, workers, simulators.',
    )
    .option('--port <number>', 'port of the API (default: 3000, or a free one)', wholeNumber(1, 65_535))
    .option('--data-dir <directory>', 'where all data is kept', DEFAULT_DATA_DIR)
    .option('--fresh', 'delete the data of earlier runs', false)
    .option('--no-demo', 'do not make a demo payment')
    .option('--no-guides', 'do not build the guides for /guides/')
    .option('--workers <number>', 'how many worker processes', wholeNumber(1, MAX_PROCESSES), 1)
    .option('--apis <number>', 'how many API processes', wholeNumber(1, MAX_PROCESSES), 1)
    .addOption(
      new Option(
        '--temporal <kind>',
        "Temporal's dev server, the real one on PostgreSQL or that as a cluster (built once with Go, some minutes)",
      )
        .choices(temporalKinds)
        .default('dev'),
    )
    .addOption(
      new Option('--connector <kind>', "where the sandbox merchant's payments go")
        .choices(connectorChoices)
        .default('simulator'),
    )
    .addOption(
      new Option('--standby <mode>', "a streaming replica of the service's database").choices(standbyModes),
    )
    .allowExcessArguments(false)
    .showSuggestionAfterError(true)
    .configureOutput({ writeErr: () => {} })
    .exitOverride();
  try {
    command.parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) throw new StackProblem('', 0);
    const message = error.message.replace(/^error: /, '').replaceAll('\n', ' ');
    throw new StackProblem(`${message}; npm start -- --help lists the flags`, USAGE_EXIT_CODE);
  }
  const options = command.opts<StackOptions>();
  return { ...options, port: options.port, dataDir: resolve(options.dataDir) };
}

function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}
