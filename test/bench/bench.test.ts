import { type Figures, ratioTo } from './figures.ts';
import { closedLoop, inParallel, openLoop } from './drive.ts';
import { tally } from './meter.ts';
import { isWanted, parseBenchOptions } from './options.ts';
import { latenciesOf, percentile } from './percentiles.ts';
import { backendRole, parseBusy, parseStat, roleOf } from './processor-time.ts';
import { frequencies } from './statements.ts';
import { failed, idleTable, short, steadyTable, tableOf } from './table.ts';

const { signal } = new AbortController();

describe('percentiles', () => {
  it('are measured values, by nearest rank', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(latenciesOf(hundred)).toEqual({ p50: 50, p95: 95, p99: 99 });
    expect(latenciesOf([7])).toEqual({ p50: 7, p95: 7, p99: 7 });
    expect(percentile([1, 2, 3], 0)).toBe(1);
    expect(percentile([1, 2, 3], 0.34)).toBe(2);
    expect(percentile([], 0.5)).toBeNaN();
  });
});

describe('processor time', () => {
  it('is parsed after a process name with brackets and spaces', () => {
    const line = `42 (a) (b c) S 7 42 42 0 -1 4194560 9 8 7 6 150 25 30 5 20 0 11 0 1 2 3`;
    expect(parseStat(line)).toEqual({ parent: 7, ownMs: 1750, goneChildrenMs: 350 });
  });

  it.each([
    ['api', 'api'],
    ['api-2', 'api'],
    ['floor-api', 'api'],
    ['worker-12', 'worker'],
    ['floor-worker', 'worker'],
    ['vault', 'simulators'],
    ['network', 'simulators'],
    ['temporal', 'temporal'],
    ['postgres', 'postgres'],
    ['temporal-ui', undefined],
  ])('of %s goes to %s', (name, role) => {
    expect(roleOf(name)).toBe(role);
  });

  it('of the machine leaves out idling and waiting for disks', () => {
    expect(parseBusy('cpu  100 20 30 5000 400 5 6 7 0 0\ncpu0 1 1 1 1')).toBe(1_680);
  });

  it('of a backend counts for the owner of its database', () => {
    expect(backendRole('postgres: postgres temporal 127.0.0.1(41) idle')).toBe('temporalPostgres');
    expect(backendRole('postgres: postgres temporal_visibility 127.0.0.1(41) SELECT')).toBe(
      'temporalPostgres',
    );
    expect(backendRole('postgres: postgres card_payments 127.0.0.1(41) idle')).toBe('postgres');
    expect(backendRole('postgres: walwriter ')).toBe('postgres');
  });
});

describe('the ratio to a floor', () => {
  const spent = (sum: number) => ({ processorMs: { ...noRoles, sum }, othersShare: 0.05 });

  it('is above one for a result that beats the floor, in throughput and in processor time', () => {
    expect(ratioTo({ perSecond: 50, ...spent(20) }, { perSecond: 100, ...spent(10) })).toEqual({
      perSecond: 2,
      processorTime: 2,
    });
  });

  it('omits processor time that is unknown', () => {
    const unknown = { processorMs: null, othersShare: null };
    expect(ratioTo({ perSecond: 4, ...unknown }, { perSecond: 1, ...spent(10) })).toEqual({
      perSecond: 0.25,
      processorTime: null,
    });
    expect(ratioTo({ perSecond: 4, ...spent(1) }, { perSecond: 1, ...spent(0) })?.processorTime).toBeNull();
  });

  it('is not given when other processes took more than a tenth of the machine in either', () => {
    const [quiet, busy] = [
      { perSecond: 4, ...spent(1) },
      { perSecond: 4, ...spent(1), othersShare: 0.11 },
    ];
    expect(ratioTo(quiet, busy)).toBeNull();
    expect(ratioTo(busy, quiet)).toBeNull();
  });
});

describe('the drivers', () => {
  it('make one call per payment and no more', async () => {
    const indexes: number[] = [];
    const call = async (index: number): Promise<string> => {
      indexes.push(index);
      return index === 3 ? '503' : 'ok';
    };
    const { done } = await closedLoop(call, { callers: 4, maxCalls: 10, seconds: 60, signal });
    expect(indexes.toSorted((a, b) => a - b)).toEqual([...Array(10).keys()]);
    expect(tally(done.map(({ outcome }) => outcome))).toEqual({ ok: 9, '503': 1 });
  });

  it('go on after their time until the least calls are made', async () => {
    const call = async (): Promise<string> => 'ok';
    const { done } = await closedLoop(call, { callers: 4, maxCalls: 100, minCalls: 30, seconds: 0, signal });
    expect(done).toHaveLength(30);
  });

  it('measure a call of a constant rate from its planned start', async () => {
    let release: (outcome: string) => void = () => {};
    const first = new Promise<string>((resolve) => {
      release = resolve;
    });
    const begun: number[] = [];
    const call = async (index: number): Promise<string> => {
      begun.push(index);
      // The first is answered after all others were started, so none waited for it.
      if (index === 4) release('ok');
      return index === 0 ? first : 'ok';
    };
    const { done } = await openLoop(call, { perSecond: 1_000, calls: 5, signal });
    expect(begun).toEqual([0, 1, 2, 3, 4]);
    expect(done).toHaveLength(5);
  });

  it('return results in order although calls run in parallel', async () => {
    expect(await inParallel(5, 2, async (index) => index * index)).toEqual([0, 1, 4, 9, 16]);
    expect(await inParallel(0, 2, async () => 'never')).toEqual([]);
  });
});

describe('the options', () => {
  const steps = ['pay', 'create'];

  it('measure one merchant with one endpoint unless they say otherwise', () => {
    expect(parseBenchOptions([], steps)).toMatchObject({ endpoints: 1, merchants: 1 });
    expect(parseBenchOptions(['--endpoints', '0', '--merchants', '3'], steps)).toMatchObject({
      endpoints: 0,
      merchants: 3,
    });
  });

  it('choose the rows of lists, which are compared with 100,000', () => {
    expect(parseBenchOptions(['--rows', '10000000'], steps).sizes.listRows).toEqual([100_000, 10_000_000]);
    expect(parseBenchOptions(['--quick', '--rows', '500'], steps).sizes.listRows).toEqual([500]);
  });

  it('choose sections and steps', () => {
    const { only, temporal, sizes } = parseBenchOptions(['--quick', '--only', 'pay,lists'], steps);
    expect(temporal).toBe('dev');
    expect(sizes.listRows).not.toContain(1_000_000);
    expect(isWanted(only, 'calls', 'pay')).toBe(true);
    expect(isWanted(only, 'calls', 'create')).toBe(false);
    expect(isWanted(only, 'lists')).toBe(true);
    expect(isWanted(only, 'growth')).toBe(false);
    expect(isWanted([], 'growth')).toBe(true);
  });

  it.each([
    [['--only', 'pay,pray'], /--only pray: there are .*pay, create/],
    [['--temporal', 'cloud'], /--temporal must be dev or server/],
    [['--workers', '0'], /--workers must be a whole number/],
    [['--merchants', '0'], /--merchants must be a whole number from 1/],
    [['--rows', '0'], /--rows must be a whole number from 1/],
    [['--endpoints', 'many'], /--endpoints must be a whole number from 0/],
    [['--fast'], /--fast/],
  ])('refuse %j', (args, message) => {
    expect(() => parseBenchOptions(args, steps)).toThrow(message);
  });
});

describe('the table', () => {
  it('has a line for each step and names failures', () => {
    const text = tableOf([{ ...step, outcomes: { ok: 8, '503 temporarily_unavailable': 2 } }, step]);
    const lines = text.split('\n');
    expect(lines).toHaveLength(4);
    expect(new Set(lines.map(({ length }) => length)).size).toBe(1);
    expect(lines[2]).toContain('2 x 503 temporarily_unavailable');
    expect(lines[3]).toMatch(/^\| calls: pay \| 16 +\| 10 +\| 0 +\| 20 +\| update \| 0\.50 +\| 0\.61 /);
    expect(tableOf([{ ...step, othersShare: 0.3 }])).toMatch(/\| update \| busy +\| busy /);
  });

  it('shows idle load as shares of a core', () => {
    const corePercent = { ...noRoles, api: 1, temporal: 2.5 };
    const idle = { statementsPerSecond: 1, temporalStatementsPerSecond: null, writesPerSecond: 0 };
    const text = idleTable([
      { name: 'nothing open', corePercent, ...idle, walKibPerSecond: 2, workflowsStarted: 3, statements: [] },
    ]);
    expect(text).toMatch(/nothing open +\| 3\.5 /);
  });

  it('shows what is held after each window of a constant rate', () => {
    const sizes = { payments: 3_000, databaseMib: 40, kibPerPayment: 13.6, deadPercent: 12, autovacuums: 2 };
    const text = steadyTable([{ name: '1 of 6', ...sizes, mostDead: 'payments 9', resident: 'api 180' }]);
    expect(text).toMatch(/1 of 6 +\| 3000 +\| 40 +\| 13\.6 +\| 12 +\| 2 +\| payments 9 +\| api 180 /);
  });

  it('lists the statements of an idle stack by how often they are sent, without earlier ones', () => {
    const sent = (user: string, text: string, calls: number) => ({ user, text, calls });
    const before = [sent('api', 'SELECT 1', 4), sent('worker', 'SELECT 1', 2), sent('worker', 'SELECT 2', 9)];
    const after = [sent('api', 'SELECT 1', 5), sent('worker', 'SELECT 1', 12), sent('worker', 'SELECT 2', 9)];
    expect(frequencies(before, after, 5)).toEqual([
      { user: 'worker', text: 'SELECT 1', perSecond: 2 },
      { user: 'api', text: 'SELECT 1', perSecond: 0.2 },
    ]);
  });

  it('shows three significant digits', () => {
    expect([1234.5, 12.345, 0.123456, 0.04321, 0, null, Number.NaN].map(short)).toEqual([
      '1235',
      '12.3',
      '0.123',
      '0.04',
      '0',
      '–',
      '–',
    ]);
    expect(failed({ ok: 3 })).toBe('0');
  });
});

const noRoles = { api: 0, worker: 0, temporal: 0, temporalPostgres: 0, postgres: 0, simulators: 0 };

const step: Figures = {
  section: 'calls',
  name: 'pay',
  callers: 16,
  calls: 10,
  outcomes: { ok: 10 },
  perSecond: 12.34,
  perSecondToRest: 12,
  latencyMs: { p50: 1, p95: 2, p99: 3 },
  processorMs: { ...noRoles, worker: 20, sum: 20 },
  statements: 8,
  writes: 9,
  walKib: 10,
  temporalStatements: null,
  temporalEvents: 9,
  deliveries: 1,
  othersShare: 0.02,
  floor: 'update',
  ratio: { perSecond: 0.61, processorTime: 0.5 },
};
