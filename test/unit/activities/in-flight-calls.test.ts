import { InFlightCalls } from '../../../src/activities/in-flight-calls.ts';

const patienceMs = 20;

/** A call that the test ends. */
function held(): { call: () => Promise<string>; end: () => void } {
  let end: () => void = () => undefined;
  const answer = new Promise<string>((resolve) => (end = () => resolve('answer')));
  return { call: () => answer, end: () => end() };
}

const afterPatience = () => new Promise((resolve) => setTimeout(resolve, 3 * patienceMs));

describe('a call that outlasts the patience', () => {
  it('is reported as running, and continues', async () => {
    const calls = new InFlightCalls<string>();
    const { call, end } = held();
    expect(await calls.begin('key', patienceMs, call)).toBe('running');
    end();
    expect(await calls.find('key')).toBe('answer');
    await afterPatience();
    expect(calls.find('key')).toBeUndefined();
  });

  it('is awaited to its end when it calls hold in time', async () => {
    const calls = new InFlightCalls<string>();
    const { call, end } = held();
    const begun = calls.begin('key', patienceMs, (hold) => {
      expect(hold()).toBe(true);
      return call();
    });
    await afterPatience();
    end();
    expect(await begun).toBe('answer');
  });

  it('gets false from hold once a local activity has stopped waiting, even when it is begun again', async () => {
    const calls = new InFlightCalls<string>();
    const { call, end } = held();
    let hold: () => boolean = () => true;
    const first = calls.begin('key', patienceMs, (ask) => {
      hold = ask;
      return call();
    });
    expect(await first).toBe('running');
    const again = calls.begin('key', 10_000, () => Promise.reject(new Error('begun twice')));
    expect(hold()).toBe(false);
    end();
    expect(await again).toBe('answer');
  });
});
