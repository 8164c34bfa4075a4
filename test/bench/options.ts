import { resolve } from 'node:path';
import { Problem } from '../../scripts/lib/problem.mjs';
import { parseFlags } from '../support/harness/flags.ts';
import { wholeNumber } from '../support/harness/options.ts';

export const sectionNames = [
  'idle',
  'calls',
  'openLoop',
  'burst',
  'signIns',
  'slow',
  'lists',
  'growth',
  'steady',
] as const;
export type SectionName = (typeof sectionNames)[number];

/** The sizes of the steps; the steps are always the same. */
export interface Sizes {
  callSeconds: number;
  /** Minimum of calls of a step, even if they take longer, but at most a minute. */
  minCalls: Readonly<Record<1 | 4 | 16, number>>;
  /** Most calls of a step by number of callers, for calls that use up a payment each. */
  consumed: Readonly<Record<1 | 4 | 16, number>>;
  /** Rates of whole payments per second. */
  rates: readonly number[];
  openLoopSeconds: number;
  burstCreates: number;
  /** Payments that are paid beside the burst, and before it without other load. */
  burstPays: number;
  /** Concurrent pays that the network answers after five seconds. */
  slowPays: number;
  listRows: readonly number[];
  listCallers: readonly (1 | 16)[];
  openPayments: readonly number[];
  /** Windows of a constant rate, one after the other, and their length. */
  steadyWindows: number;
  steadySeconds: number;
  /** Time before idling is measured, because processes still compile their code after their start. */
  settleSeconds: number;
  idleSeconds: number;
}

const quick: Sizes = {
  callSeconds: 1,
  minCalls: { 1: 20, 4: 40, 16: 300 },
  consumed: { 1: 20, 4: 40, 16: 300 },
  rates: [4, 12],
  openLoopSeconds: 8,
  burstCreates: 800,
  burstPays: 48,
  slowPays: 40,
  listRows: [1_000, 100_000],
  listCallers: [16],
  openPayments: [400],
  steadyWindows: 2,
  steadySeconds: 10,
  settleSeconds: 10,
  // As long as three turns of the sweeps.
  idleSeconds: 15,
};

const full: Sizes = {
  callSeconds: 8,
  minCalls: { 1: 60, 4: 240, 16: 800 },
  consumed: { 1: 60, 4: 240, 16: 800 },
  rates: [4, 8, 12, 16, 24],
  openLoopSeconds: 40,
  burstCreates: 3_000,
  burstPays: 240,
  slowPays: 200,
  listRows: [1_000, 10_000, 100_000, 1_000_000],
  listCallers: [1, 16],
  openPayments: [1_000, 5_000, 20_000],
  steadyWindows: 6,
  steadySeconds: 300,
  settleSeconds: 60,
  idleSeconds: 30,
};

/** With `--rows`, the number of rows that more rows are compared with. */
const COMPARED_ROWS = 100_000;

export interface BenchOptions {
  json: boolean;
  temporal: 'dev' | 'server';
  workers: number;
  apis: number;
  /** Webhook endpoints of each merchant. Their deliveries are part of a payment's cost. */
  endpoints: number;
  /** Merchants whose payments take turns. */
  merchants: number;
  /** The most rows of lists; undefined for those of the size. */
  rows: number | undefined;
  /** Sections, or steps of `calls`; empty for everything. */
  only: readonly string[];
  /** A checkout whose built processes are measured; undefined for this one. */
  checkout: string | undefined;
  sizes: Sizes;
}

/** Returns the flags of `npm run bench` (docs/performance.md). Throws Problem for an unknown one. */
export function parseBenchOptions(args: readonly string[], stepNames: readonly string[]): BenchOptions {
  const values = parse(args);
  const { temporal } = values;
  if (temporal !== 'dev' && temporal !== 'server') throw new Problem('--temporal must be dev or server');
  const only = values.only?.split(',').filter(Boolean) ?? [];
  const known: readonly string[] = [...sectionNames, ...stepNames];
  const sizes = values.quick ? quick : full;
  const rows = values.rows === undefined ? undefined : wholeNumber('rows', values.rows);
  const unknown = only.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Problem(`--only ${unknown}: there are ${known.join(', ')}`);
  return {
    json: values.json,
    temporal,
    workers: wholeNumber('workers', values.workers),
    apis: wholeNumber('apis', values.apis),
    endpoints: wholeNumber('endpoints', values.endpoints, 0),
    merchants: wholeNumber('merchants', values.merchants),
    rows,
    only,
    checkout: values.checkout === undefined ? undefined : resolve(values.checkout),
    sizes: rows === undefined ? sizes : { ...sizes, listRows: upTo(rows) },
  };
}

/** Returns the number of rows that others are compared with, and the wanted one. */
const upTo = (rows: number): readonly number[] => (rows <= COMPARED_ROWS ? [rows] : [COMPARED_ROWS, rows]);

const parse = (args: readonly string[]) =>
  parseFlags(
    {
      name: 'bench',
      does: 'Measures a stack of its own, and the floors beside it (docs/performance.md).',
      flags: {
        quick: { means: 'every step, but small: within ten minutes' },
        json: { means: 'every figure, for programs, in place of a table' },
        temporal: { takes: 'kind', means: 'dev or server, as for npm start', otherwise: 'dev' },
        workers: { takes: 'n', means: 'how many worker processes', otherwise: '1' },
        apis: { takes: 'n', means: 'how many API processes', otherwise: '1' },
        endpoints: { takes: 'n', means: 'webhook endpoints of each merchant', otherwise: '1' },
        merchants: { takes: 'n', means: 'merchants whose payments take turns', otherwise: '1' },
        rows: {
          takes: 'n',
          means: 'of lists: the most rows, compared with 100,000; the disk they need is shown before',
        },
        only: { takes: 'names', means: 'sections or steps of calls, with commas: pay,idle' },
        checkout: {
          takes: 'directory',
          means: 'the built processes of another checkout, by the tools of this one',
        },
      },
    },
    args,
  );

/** Returns whether a section, or one of its steps, was requested. */
export function isWanted(only: readonly string[], section: SectionName, step?: string): boolean {
  if (only.length === 0 || only.includes(section)) return true;
  return step !== undefined && only.includes(step);
}
