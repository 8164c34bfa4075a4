import { createLease } from '../../../src/db/server/lease.ts';

let now = 0;
beforeEach(() => (now = 1_000));
const lease = () => createLease(8_000, () => now);

it('holds nothing before it is renewed', () => {
  expect([...lease().held()]).toEqual([]);
});

it('expires when it is not renewed, as in a frozen process', () => {
  const held = lease();
  held.renew(['payments'], held.asking());
  now += 7_999;
  expect([...held.held()]).toEqual(['payments']);
  now += 1;
  expect([...held.held()]).toEqual([]);
});

it('counts from the request, not from an answer that arrives when a frozen process continues', () => {
  const held = lease();
  const askedAt = held.asking();
  now += 120_000;
  held.renew(['payments'], askedAt);
  expect([...held.held()]).toEqual([]);
});

it('holds again after a renewal, and nothing after its end', () => {
  const held = lease();
  held.renew(['payments'], held.asking());
  now += 60_000;
  held.renew(['payments', 'webhooks'], held.asking());
  expect([...held.held()]).toEqual(['payments', 'webhooks']);
  held.end();
  expect([...held.held()]).toEqual([]);
});
