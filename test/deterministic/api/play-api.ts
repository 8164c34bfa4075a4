import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientPlan } from '../../chaos/plan.ts';
import { Random } from '../../support/harness/random.ts';
import { newProcess, runIn } from '../scheduler.ts';
import type { World } from '../world.ts';
import { type ApiContext, Caller } from './caller.ts';
import { type Dashboard, openDashboard } from './dashboard.ts';
import { changeEndpoint, otherReceiver, slowReceiver } from './endpoint-client.ts';
import { eraseCustomerOf } from './erasure-client.ts';
import { askForOthers } from './foreign-client.ts';
import { floodReads } from './flood-client.ts';
import { payByLink } from './link-client.ts';
import { workInDashboard } from './member-client.ts';
import { readAround } from './reading-client.ts';
import { playSandbox } from './sandbox-client.ts';
import { playScenes } from './scenes.ts';
import { support } from './support-client.ts';
import { testCards } from './tester-client.ts';

/** Clients of the further API for each payment of a seed: their calls are about a tenth of all. */
const clientsPerPayment = 0.25;
/** The latest start of a client, in ms from the beginning. */
const latestStartMs = 14_000;

/**
 * The kinds of clients, with their relative frequency. The last three do not play while rows are put
 * back: two move money, and rows that lost a refund or a dispute could not be judged; support compares seals.
 */
const kinds = [
  ['reads', 4],
  ['endpoint', 3],
  ['link', 3],
  ['flood', 2],
  ['foreign', 2],
  ['tester', 2],
] as const;
const kindsWithMoney = [...kinds, ['sandbox', 10], ['dashboard', 6], ['support', 2]] as const;

/** The clients that need the settings of the second shop. */
const ofOtherShop: readonly Kind[] = ['sandbox', 'tester'];

interface ApiPlay extends ApiContext {
  seed: number;
  payments: number;
  /** Whose cards and amounts the clients use. */
  plans: readonly ClientPlan[];
  movesMoney: boolean;
  dashboard: Dashboard;
}

/** Opens the dashboard of the second shop, which no fault may prevent. */
export const openOtherDashboard = ({ settings, otherShop }: World): Promise<Dashboard> =>
  runIn(newProcess('dashboard'), () => openDashboard(settings, otherShop));

/** Plays the clients that use the API beside those that pay, of two shops. */
export async function playApi(play: ApiPlay): Promise<void> {
  const { seed, payments, plans, movesMoney, dashboard, ...context } = play;
  const random = new Random(Math.imul(seed, 0x9e3779b1) ^ 0x3c6ef372);
  const { world } = context;
  const count = Math.round(payments * clientsPerPayment);
  const callers = Array.from({ length: count }, (_, index) => {
    const kind = movesMoney ? random.weighted(kindsWithMoney) : random.weighted(kinds);
    const shop = !ofOtherShop.includes(kind) && random.chance(0.5) ? world.shop : world.otherShop;
    return { kind, caller: new Caller(context, shop, new Random(random.between(1, 2 ** 31)), index) };
  });
  serveOtherReceiver(context);
  try {
    const scenes = playScenes(seed, context, { plans, isPutBack: !movesMoney });
    await Promise.all([
      scenes,
      ...callers.map(async ({ kind, caller }) => {
        await sleep(caller.random.between(0, latestStartMs));
        const plan = { ...caller.random.pick(plans), index: caller.index };
        await playOne(kind, caller, plan, dashboard);
      }),
    ]);
    const ofSandbox = callers.filter(({ kind }) => kind === 'sandbox').slice(0, 2);
    for (const { caller } of ofSandbox) {
      if (caller.client.paymentId === null) continue;
      context.made.erased.add(caller.client.paymentId);
      await eraseCustomerOf(caller, dashboard);
    }
  } finally {
    await dashboard.close();
  }
}

type Kind = (typeof kindsWithMoney)[number][0];

async function playOne(kind: Kind, caller: Caller, plan: ClientPlan, dashboard: Dashboard): Promise<void> {
  switch (kind) {
    case 'reads':
      return readAround(caller);
    case 'endpoint':
      return changeEndpoint(caller);
    case 'link':
      return payByLink(caller, plan);
    case 'foreign':
      return askForOthers(caller, dashboard);
    case 'tester':
      return testCards(caller, plan);
    case 'support':
      return support(caller, dashboard);
    case 'flood':
      return floodReads(caller);
    case 'sandbox':
      return playSandbox(caller, plan);
    case 'dashboard':
      return workInDashboard(caller, dashboard);
  }
}

/** Starts the receiver of the endpoints that come and go, which often answers late or with an error. */
function serveOtherReceiver({ world, scheduler }: ApiContext): void {
  world.network.add(otherReceiver, {
    name: 'other receiver',
    process: null,
    answer: async ({ url }) => {
      if (url.href.startsWith(slowReceiver)) {
        await scheduler.pause(500, 3_000);
        return { status: 204, headers: {}, body: '' };
      }
      const status = scheduler.draws('webhook refused by another receiver', 0.2) ? 503 : 200;
      if (scheduler.draws('webhook answered late by another receiver', 0.3))
        await scheduler.pause(500, 6_000);
      return { status, headers: status === 503 ? { 'retry-after': '2' } : {}, body: 'seen' };
    },
  });
}
