import type { Call } from '../chaos/history.ts';
import { unanswered } from '../chaos/history.ts';
import { recoveryOf } from './load.ts';
import { strikesOf } from './strikes.ts';

const seconds = 1_000;

/** A call that began at `at` and took `took`, both in s. */
const call = (at: number, took = 0.2, result: Call['result'] = 'ok', op = 'pay'): Call => ({
  ...unanswered(''),
  ...{ client: 0, op, paymentId: null, key: null, result },
  startedAtMs: at * seconds,
  endedAtMs: (at + took) * seconds,
});
const each = (fromS: number, toS: number, of: (at: number) => Call = call): Call[] =>
  Array.from({ length: toS - fromS }, (_, index) => of(fromS + index));
const afterS = (history: Call[], toS = 60): number | undefined => {
  const recovery = recoveryOf(history, 10 * seconds, toS * seconds);
  return recovery && recovery.afterMs / seconds;
};

describe('the time until pays succeed again', () => {
  it('is that of the first pay where none failed', () => {
    expect(afterS(each(10, 60))).toBeCloseTo(0.2);
  });

  it('is counted from the last failure of an outage, however many succeed in between', () => {
    const failed = each(10, 22).filter((_, index) => index % 2 === 0);
    const history = [...each(10, 60), ...failed.map((one) => ({ ...one, result: 'unknown' as const }))];
    expect(afterS(history)).toBeCloseTo(11.2);
  });

  it('counts a creation that fails, and a pay that takes longer than 5 s', () => {
    const creations = each(10, 15, (at) => call(at, 0.2, 'unknown', 'create'));
    expect(afterS([...each(10, 60), ...creations])).toBeCloseTo(5.2);
    expect(afterS([...each(18, 60), ...each(10, 18, (at) => call(at, 9))])).toBeCloseTo(8.2);
  });

  it('does not end while no pay is made', () => {
    expect(afterS([...each(10, 12), ...each(20, 60)])).toBeCloseTo(10.2);
    expect(afterS(each(10, 12))).toBeUndefined();
  });

  it('needs five good seconds, and counts what fails later', () => {
    expect(afterS(each(10, 14), 14)).toBeUndefined();
    const history = [...each(10, 60), call(40, 30, 'unknown')];
    expect(recoveryOf(history, 10 * seconds, 60 * seconds)).toMatchObject({
      laterBad: 1,
      slowestMs: 30 * seconds,
    });
  });
});

describe('the strikes of --only', () => {
  it('are all of them without a name', () => {
    expect(strikesOf(undefined)).toHaveLength(18);
  });

  it('are those of the roles and ways that are named', () => {
    expect(strikesOf('history,api,killed')).toEqual([
      { role: 'history', way: 'killed' },
      { role: 'api', way: 'killed' },
    ]);
    expect(strikesOf('cut')).toHaveLength(6);
  });

  it('are refused where a name is unknown', () => {
    expect(() => strikesOf('histori')).toThrow(/^--only must name some of: history, /);
  });
});
