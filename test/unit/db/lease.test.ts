import { createLease } from '../../../src/db/server/lease.ts';

let now = 0;
beforeEach(() => (now = 1_000));
const lease = () => createLease(8_000, () => now);

it('holds nothing before it is renewed', () => {
  expect([...lease().held()]).toEqual([]);
});

it('runs out by itself when it is not renewed, as in a process that was stopped', () => {
  const held = lease();
  held.renew(['payments'], held.asking());
  now += 7_999;
  expect([...held.held()]).toEqual(['payments']);
  now += 1;
  expect([...held.held()]).toEqual([]);
});

it('counts from the question, not from an answer that arrives when the process goes on', () => {
  const held = lease();
  const askedAt = held.asking();
  now += 120_000;
  held.renew(['payments'], askedAt);
  expect([...held.held()]).toEqual([]);
});

it('holds again after it was renewed, and nothing after its end', () => {
  const held = lease();
  held.renew(['payments'], held.asking());
  now += 60_000;
  held.renew(['payments', 'webhooks'], held.asking());
  expect([...held.held()]).toEqual(['payments', 'webhooks']);
  held.end();
  expect([...held.held()]).toEqual([]);
});
