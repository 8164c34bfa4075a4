import { namedPoints } from './names.mjs';
import { randomFrom } from './random.mjs';

/** How long the faults of a schedule last, ms. */
export const troubleMs = 6_000;

const processes = ['api-1', 'api-2', 'worker-1', 'worker-2', 'vault', 'network', 'postgres', 'temporal'];

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
];

/** Fault modes a hop can have; `hold` only where the caller gives up and a late effect must be harmless. */
const hopModes = {
  api: ['reset', 'delay', 'executeThenDrop', 'cut'],
  vault: ['reset', 'delay', 'executeThenDrop', 'duplicate', 'cut'],
  network: ['reset', 'delay', 'executeThenDrop', 'duplicate', 'cut', 'hold'],
  callback: ['reset', 'delay', 'executeThenDrop', 'duplicate'],
};

/**
 * The schedule of a seed: which payments are made, which kinds of fault are on (swarm: each on or off), what happens
 * at which instant and at which named point. Pure: printing it is enough to know what was tried.
 */
export function planOf(seed, { payments = 12 } = {}) {
  const random = randomFrom(seed);
  const options = {
    kills: random.chance(0.5),
    freezes: random.chance(0.4),
    points: random.chance(0.7),
    hops: random.chance(0.7),
    database: random.chance(0.3),
    receiver: random.chance(0.3),
    rudeClients: random.chance(0.5),
  };
  if (!options.kills && !options.freezes && !options.points && !options.hops) options.points = true;
  const clients = Array.from({ length: payments }, (_, index) => ({
    index,
    seed: random.between(1, 2 ** 31),
    startMs: random.between(0, troubleMs - 2_000),
    card: random.weighted(cards),
    amountCents: random.between(500, 90_000),
    behaviour: random.weighted([
      ['pays', 8],
      ['paysTwiceAtOnce', options.rudeClients ? 4 : 1],
      ['paysAgainBlindly', options.rudeClients ? 3 : 0],
      ['leaves', 1],
    ]),
    afterwards: random.weighted([
      ['nothing', 2],
      ['refunds', 4],
      ['dispute', 2],
      ['both', 2],
    ]),
  }));
  const actions = [];
  if (options.kills) {
    for (let n = random.between(1, 3); n > 0; n -= 1) {
      actions.push({ at: random.between(300, troubleMs), do: 'kill', target: random.pick(processes) });
    }
  }
  if (options.freezes) {
    for (let n = random.between(1, 2); n > 0; n -= 1) {
      actions.push({
        at: random.between(300, troubleMs - 1_000),
        do: 'freeze',
        target: random.pick(processes),
        forMs: random.between(500, 6_000),
      });
    }
  }
  if (options.database) {
    for (let n = random.between(1, 3); n > 0; n -= 1) {
      actions.push({ at: random.between(300, troubleMs), do: 'cutPostgres' });
    }
  }
  const points = [];
  if (options.points) {
    for (let n = random.between(1, 4); n > 0; n -= 1) {
      const { point, callee } = random.pick(namedPoints);
      const victim = random.weighted([
        ['worker', 4],
        [callee, 3],
        ['api', 1],
        ['temporal', 1],
        ['postgres', 1],
      ]);
      points.push({
        point,
        // The second or third time it is reached: by then more is under way.
        skip: random.between(0, 3),
        do: random.chance(0.7) ? 'kill' : 'freeze',
        victim,
        forMs: random.between(2_000, 7_000),
      });
    }
  }
  const hops = {};
  if (options.hops) {
    for (const [hop, modes] of Object.entries(hopModes)) {
      if (!random.chance(0.6)) continue;
      hops[hop] = {
        probability: random.pick([0.05, 0.15, 0.3]),
        modes: modes.filter(() => random.chance(0.6)),
        delayMs: random.pick([300, 1_500, 4_000]),
        holdMs: random.pick([4_000, 9_000, 12_000]),
      };
      if (hops[hop].modes.length === 0) hops[hop].modes = [modes[2]];
    }
  }
  return {
    seed,
    options,
    clients,
    actions: actions.sort((one, other) => one.at - other.at),
    points,
    hops,
    loseCommits: options.database ? random.pick([0, 0.03, 0.1]) : 0,
    receiverFails: options.receiver ? 0.4 : 0,
  };
}
