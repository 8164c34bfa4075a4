import { Random } from '../support/harness/random.ts';
import { type Change, type FaultKind, drawChange, drawMixedChange } from './change-plan.ts';
import { type Callee, challengePoint, namedPoints } from './names.ts';

/** How long the faults of a schedule last. */
export const faultsMs = 6_000;

const processes = [
  'api-1',
  'api-2',
  'worker-1',
  'worker-2',
  'vault',
  'network',
  'postgres',
  'temporal',
] as const;
export type ProcessName = (typeof processes)[number];

/** The process that is hit at a named point. One of the two workers or APIs is drawn when it is reached. */
export type Victim = Callee | 'worker' | 'temporal';

export type Behaviour =
  'pays' | 'usesSdk' | 'paysTwiceAtOnce' | 'paysAgainBlindly' | 'paysWhenOpenAgain' | 'leaves';
export type OncePaid = 'nothing' | 'refunds' | 'dispute' | 'both' | 'answersMoves';

/** One payment and the client that makes it. */
export interface ClientPlan {
  index: number;
  seed: number;
  startMs: number;
  card: string;
  amountCents: number;
  behaviour: Behaviour;
  oncePaid: OncePaid;
  /** How long the customer takes for a step, in ms. */
  lingerMs: number;
  /** The share of steps after which the customer's browser reaches the shop again. */
  comesBack: number;
}

/** The action at a time in ms from the start of the schedule. */
export type Action = { atMs: number } & (
  | { do: 'kill'; target: ProcessName }
  | { do: 'freeze'; target: ProcessName; forMs: number }
  | { do: 'cutPostgres' }
);

/** The action when a point is reached for the (`skip` + 1)th time. */
export interface PointAction {
  point: string;
  skip: number;
  do: 'kill' | 'freeze';
  victim: Victim;
  forMs: number;
}

export type Hop = 'api' | 'vault' | 'network' | 'callback';
export type FaultMode = 'reset' | 'delay' | 'executeThenDrop' | 'duplicate' | 'cut' | 'hold';

/** The fault of the next `count` webhooks of a network that sends signed ones. */
export interface HintTrouble {
  mode: 'late' | 'doubled' | 'reordered' | 'forged' | 'replayed' | 'lost';
  count: number;
  /** The delay of `late`. */
  afterSeconds: number;
}

/** The network's own fault for the next `count` calls of a kind; `noAnswer` comes after the effect. */
export interface CallTrouble {
  mode: 'noAnswer' | 'errorAfter' | 'halfBody' | 'conflict' | 'rateLimited' | 'html' | 'unavailable';
  on: string;
  count: number;
}

/** The faults of a hop's requests, each with `probability`. */
export interface HopFaults {
  probability: number;
  modes: FaultMode[];
  delayMs: number;
  holdMs: number;
}

export interface Plan {
  seed: number;
  /** The kinds of fault that are on. */
  options: Options;
  clients: ClientPlan[];
  actions: Action[];
  points: PointAction[];
  hops: Partial<Record<Hop, HopFaults>>;
  /** Orders to the Stripe pair, which accepts such orders. */
  hints: HintTrouble[];
  calls: CallTrouble[];
  /** Probability that the answer to a COMMIT is lost. */
  loseCommits: number;
  /** Probability that the receiver processes a webhook and answers an error. */
  receiverFails: number;
  /** The change made while payments run. */
  change: Change | null;
}

type Options = Record<
  'kills' | 'freezes' | 'points' | 'hops' | 'database' | 'receiver' | 'rudeClients',
  boolean
>;

const clientsPerSchedule = 12;

const cards = [
  ['4242424242424242', 5],
  ['4000000000000002', 2],
  ['4000000000009995', 2],
  ['4000000000009987', 1],
  ['4000000000000119', 1],
  ['4000000000003220', 3],
  ['4000008400001629', 1],
  ['4000000000007007', 3],
  ['4000000000007106', 2],
  ['4000000000007205', 1],
  ['4000000000007304', 1],
  ['4000000000007403', 1],
  ['4000000000007726', 3],
  ['4000000000005126', 2],
  ['4000000000000259', 2],
] as const;

/** `hold` is used only where the caller gives up and a late effect must be harmless. */
const hopModes: readonly (readonly [Hop, readonly FaultMode[]])[] = [
  ['api', ['reset', 'delay', 'executeThenDrop', 'cut']],
  ['vault', ['reset', 'delay', 'executeThenDrop', 'duplicate', 'cut']],
  ['network', ['reset', 'delay', 'executeThenDrop', 'duplicate', 'cut', 'hold']],
  ['callback', ['reset', 'delay', 'executeThenDrop', 'duplicate']],
];

const hintModes = ['late', 'doubled', 'reordered', 'forged', 'replayed', 'lost'] as const;
const callModes = [
  'noAnswer',
  'errorAfter',
  'halfBody',
  'conflict',
  'rateLimited',
  'html',
  'unavailable',
] as const;
const troubledCalls = [
  'payment_intents.confirm',
  'payment_intents.create',
  'payment_intents.retrieve',
  'payment_intents.cancel',
  'refunds.create',
  'refunds.list',
] as const;

/**
 * Returns the schedule of a seed: the payments, the kinds of fault that are on (swarm testing: each is on or
 * off), and the actions at each time and named point. Pure: the printed schedule shows everything that was
 * tried.
 */
export function planOf(seed: number): Plan {
  const random = new Random(seed);
  const options = drawOptions(random);
  // Drawn from a generator of its own, so that the rest of a seed's schedule stays the same.
  const more = new Random(seed ^ 0x27d4eb2f);
  // The constant gives the 25 schedules of every commit each kind of change, and one freeze of a leader.
  const change = drawMixedChange(new Random(Math.imul(seed, 0x9e3779b1) ^ 347));
  const bySdk = new Random(Math.imul(seed, 0x85ebca6b) ^ 28);
  const clients = times(clientsPerSchedule, (index) => drawClient(random, options, index)).map((client) =>
    client.behaviour === 'pays' && bySdk.chance(0.4) ? { ...client, behaviour: 'usesSdk' as const } : client,
  );
  return {
    seed,
    options,
    change,
    clients: change === null ? clients : clients.map((client) => underChange(client, change)),
    actions: drawActions(random, options),
    points: [...drawPoints(random, options), ...drawCustomerPoint(more)],
    hints: drawHints(more),
    calls: drawCalls(more),
    hops: drawHops(random, options),
    loseCommits: options.database ? random.pick([0, 0.03, 0.1]) : 0,
    receiverFails: options.receiver ? 0.4 : 0,
  };
}

/** Few payments, so that a schedule is short, each of a kind that the change can harm. */
const forcedClients: Readonly<Record<FaultKind, readonly Partial<ClientPlan>[]>> = {
  'two-builds': [
    { card: '4000000000007726', oncePaid: 'refunds' },
    { card: '4000000000007726', oncePaid: 'refunds' },
    { card: '4000000000003220', lingerMs: 7_000, comesBack: 0 },
    { card: '4000000000003220', lingerMs: 7_000, comesBack: 0 },
    { oncePaid: 'dispute' },
  ],
  'shifted-clock': [{}, {}, {}, {}],
  'rows-put-back': [{ behaviour: 'paysWhenOpenAgain' }, { behaviour: 'paysWhenOpenAgain' }],
  'frozen-leader': [{ behaviour: 'leaves' }, { card: '4000000000003220', lingerMs: 4_000 }, {}],
  'moving-disputes': Array.from({ length: 3 }, () => ({ oncePaid: 'answersMoves' as const })),
  'capture-after-decline': [
    { card: '4000000000009987' },
    { card: '4000000000000002', behaviour: 'leaves' },
    { card: '4000000000000002' },
  ],
  'lost-runs': [
    { card: '4000000000003220', lingerMs: 3_000, comesBack: 0 },
    { card: '4000000000003220', lingerMs: 3_000, comesBack: 0 },
    { card: '4000000000007726', oncePaid: 'refunds' },
  ],
};

/** Returns the schedule of a seed in which only one kind of change happens. */
export function planOfFault(seed: number, kind: FaultKind, freezeMs: number): Plan {
  const random = new Random(seed);
  const quiet = {
    kills: false,
    freezes: false,
    points: false,
    hops: false,
    database: false,
    receiver: false,
    rudeClients: false,
  };
  // Charges arrive after their caller gave up. A clock decides how long ago they were sent.
  const late = { probability: 0.7, modes: ['hold' as const], delayMs: 0, holdMs: 12_000 };
  return {
    seed,
    options: quiet,
    clients: forcedClients[kind].map((fields, index) => ({
      ...drawClient(random, quiet, index),
      startMs: random.between(0, 1_200),
      card: '4242424242424242',
      behaviour: 'pays',
      oncePaid: 'nothing',
      ...fields,
    })),
    actions: [],
    points: [],
    hops: kind === 'shifted-clock' ? { network: late } : {},
    hints: [],
    calls: [],
    loseCommits: 0,
    receiverFails: 0,
    change: drawChange(random, kind, freezeMs),
  };
}

/** Returns the client under a change. A slow customer is still at the step when the change comes. */
export function underChange(client: ClientPlan, { kind }: Change): ClientPlan {
  if (kind === 'moving-disputes' && client.oncePaid === 'nothing') {
    return { ...client, oncePaid: 'answersMoves' };
  }
  if (kind === 'lost-runs' || kind === 'two-builds') return { ...client, lingerMs: 2_500 };
  if (kind !== 'rows-put-back' || client.index > 3) return client;
  return { ...client, card: '4242424242424242', behaviour: 'paysWhenOpenAgain', oncePaid: 'nothing' };
}

function drawOptions(random: Random): Options {
  const options = {
    kills: random.chance(0.5),
    freezes: random.chance(0.4),
    points: random.chance(0.7),
    hops: random.chance(0.7),
    database: random.chance(0.3),
    receiver: random.chance(0.3),
    rudeClients: random.chance(0.5),
  };
  const { kills, freezes, points, hops } = options;
  return { ...options, points: points || (!kills && !freezes && !hops) };
}

function drawClient(random: Random, { rudeClients }: Options, index: number): ClientPlan {
  return {
    index,
    seed: random.between(1, 2 ** 31),
    startMs: random.between(0, faultsMs - 2_000),
    card: random.weighted(cards),
    amountCents: random.between(500, 90_000),
    behaviour: random.weighted<Behaviour>([
      ['pays', 8],
      ['paysTwiceAtOnce', rudeClients ? 4 : 1],
      ['paysAgainBlindly', rudeClients ? 3 : 0],
      ['leaves', 1],
    ]),
    oncePaid: random.weighted<OncePaid>([
      ['nothing', 2],
      ['refunds', 4],
      ['dispute', 2],
      ['both', 2],
    ]),
    lingerMs: 0,
    comesBack: 0.8,
  };
}

function drawActions(random: Random, options: Options): Action[] {
  const kills = times(options.kills ? random.between(1, 3) : 0, () => ({
    atMs: random.between(300, faultsMs),
    do: 'kill' as const,
    target: random.pick(processes),
  }));
  const freezes = times(options.freezes ? random.between(1, 2) : 0, () => ({
    atMs: random.between(300, faultsMs - 1_000),
    do: 'freeze' as const,
    target: random.pick(processes),
    forMs: random.between(500, 6_000),
  }));
  const cuts = times(options.database ? random.between(1, 3) : 0, () => ({
    atMs: random.between(300, faultsMs),
    do: 'cutPostgres' as const,
  }));
  return [...kills, ...freezes, ...cuts].toSorted((one, other) => one.atMs - other.atMs);
}

function drawPoints(random: Random, options: Options): PointAction[] {
  return times(options.points ? random.between(1, 4) : 0, () => {
    const { point, callee } = random.pick(namedPoints);
    const victim = random.weighted<Victim>([
      ['worker', 4],
      [callee, 3],
      ['api', 1],
      ['temporal', 1],
      ['postgres', 1],
    ]);
    return {
      point,
      // Often at the second or third time that the point is reached, when more work is in progress.
      skip: random.between(0, 3),
      do: random.chance(0.7) ? 'kill' : 'freeze',
      victim,
      forMs: random.between(2_000, 7_000),
    };
  });
}

/** Draws a fault of the worker at the moment when the customer completes a challenge. */
function drawCustomerPoint(random: Random): PointAction[] {
  return times(random.chance(0.4) ? 1 : 0, () => ({
    point: challengePoint,
    skip: random.between(0, 1),
    do: random.chance(0.7) ? 'kill' : 'freeze',
    victim: 'worker',
    forMs: random.between(2_000, 7_000),
  }));
}

function drawHints(random: Random): HintTrouble[] {
  return times(random.chance(0.7) ? random.between(2, 6) : 0, () => ({
    mode: random.pick(hintModes),
    count: random.between(1, 12),
    afterSeconds: random.between(2, 20),
  }));
}

function drawCalls(random: Random): CallTrouble[] {
  return times(random.chance(0.5) ? random.between(1, 4) : 0, () => ({
    mode: random.pick(callModes),
    on: random.pick(troubledCalls),
    count: random.between(1, 3),
  }));
}

function drawHops(random: Random, options: Options): Partial<Record<Hop, HopFaults>> {
  const hops: Partial<Record<Hop, HopFaults>> = {};
  if (!options.hops) return hops;
  for (const [hop, modes] of hopModes) {
    if (!random.chance(0.6)) continue;
    const faults = {
      probability: random.pick([0.05, 0.15, 0.3]),
      modes: modes.filter(() => random.chance(0.6)),
      delayMs: random.pick([300, 1_500, 4_000]),
      holdMs: random.pick([4_000, 9_000, 12_000]),
    };
    hops[hop] = { ...faults, modes: faults.modes.length === 0 ? ['executeThenDrop'] : faults.modes };
  }
  return hops;
}

function times<Drawn>(count: number, draw: (index: number) => Drawn): Drawn[] {
  return Array.from({ length: count }, (_, index) => draw(index));
}
