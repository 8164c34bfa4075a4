import { Misreports } from './misreports.ts';
import { Scheduler } from './scheduler.ts';

const answer = (body: object, status = 200) => ({ status, headers: {}, body: JSON.stringify(body) });
const request = (method: string, path: string) => ({
  method,
  url: new URL(`http://network.simulated${path}`),
});
const charge = {
  chargeId: 'ch_1',
  attemptId: 'p:1',
  key: 'p:1',
  status: 'captured',
  amountCents: 500,
  currency: 'USD',
};

const seeds = Array.from({ length: 60 }, (_, index) => index + 1);

function misreportsOf(seed: number): { misreports: Misreports; scheduler: Scheduler } {
  const scheduler = new Scheduler(seed);
  scheduler.troubled = true;
  return { scheduler, misreports: new Misreports(() => scheduler) };
}

/** Returns how many answers about a new charge were false, of the first answer and ten queries. */
function falseAnswers(seed: number): number {
  const { misreports } = misreportsOf(seed);
  const shown = Array.from({ length: 11 }, (_, index) => {
    const { body } = misreports.amend(
      'network',
      index === 0 ? request('POST', '/v1/charges') : request('GET', '/v1/charges/p:1'),
      answer(charge),
    );
    return body === JSON.stringify(charge);
  });
  const first = shown.indexOf(true);
  // Once it is true it stays true.
  expect(shown.slice(first)).not.toContain(false);
  return first;
}

it('misreports some charges, in their first answers only', () => {
  const counts = seeds.map(falseAnswers);
  expect(Math.max(...counts)).toBeGreaterThan(0);
  expect(Math.max(...counts)).toBeLessThanOrEqual(4);
  expect(counts).toContain(0);
});

it('answers truly about a charge whose first answer was true, and when the faults are over', () => {
  for (const seed of seeds) {
    const { misreports, scheduler } = misreportsOf(seed);
    expect(misreports.amend('network', request('GET', '/v1/charges/p:1'), answer(charge))).toEqual(
      answer(charge),
    );
    scheduler.troubled = false;
    const sent = misreports.amend('network', request('POST', '/v1/charges'), answer(charge));
    expect(sent).toEqual(answer(charge));
  }
});

it('leaves other servers, refusals and other texts as they are', () => {
  for (const seed of seeds) {
    const { misreports } = misreportsOf(seed);
    const disputed = answer({ disputeId: 'd', status: 'won' });
    expect(misreports.amend('vault', request('GET', '/v1/disputes/d'), disputed)).toBe(disputed);
    const refused = answer({ disputeId: 'd' }, 404);
    expect(misreports.amend('network', request('GET', '/v1/disputes/d'), refused)).toBe(refused);
    const page = { status: 200, headers: {}, body: '<html>' };
    expect(misreports.amend('network', request('GET', '/challenge/1'), page)).toBe(page);
  }
});

it('shows the true amounts of a list from which rows are restored', () => {
  const list = { items: [{ key: 'p:1', amountCents: 500, status: 'captured', currency: 'USD' }], next: null };
  const amountsOf = (hasTrueAmounts: boolean): unknown[] =>
    seeds.flatMap((seed) => {
      const { misreports } = misreportsOf(seed);
      misreports.endOutage();
      misreports.hasTrueAmounts = hasTrueAmounts;
      const shown = Array.from({ length: 20 }, () =>
        misreports.amend('network', request('GET', '/v1/listings/charges'), answer(list)),
      );
      const items = shown.flatMap(({ body }) => (JSON.parse(body) as typeof list).items);
      return items.map(({ amountCents }) => amountCents);
    });
  expect(amountsOf(false)).toContain(1_000_500);
  expect(amountsOf(true)).not.toContain(1_000_500);
});
