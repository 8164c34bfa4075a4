import { createRequire } from 'node:module';
import { browsersRefuse } from '../../../local-stack/browser-ports.ts';
import { choosePort, claimNamedPort } from '../../../local-stack/ports.ts';

const { badPorts } = createRequire(import.meta.url)('undici/lib/web/fetch/constants.js') as {
  badPorts: readonly string[];
};

it('knows every port that fetch refuses, and no other', () => {
  const refused = Array.from({ length: 65_536 }, (_, port) => port).filter(browsersRefuse);
  expect(refused).toEqual(badPorts.map(Number).toSorted((one, other) => one - other));
});

it('takes another port where the next one is refused by browsers', async () => {
  const { port, moved } = await choosePort([4190]);
  expect(moved).toBe(true);
  expect(port).toBeGreaterThan(4190);
});

it('names a --port that browsers refuse', async () => {
  await expect(claimNamedPort(6666)).rejects.toThrow('browsers refuse port 6666: choose another with --port');
});
