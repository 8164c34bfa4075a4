import { changeNames, drawProviderChanges } from './provider-changes.ts';
import { networkOf } from './providers.ts';

const seeds = Array.from({ length: 400 }, (_, index) => index + 1);

it('plays Stripe and PCI Vault in a quarter of the seeds, and each network in the first ten', () => {
  const networks = seeds.map(networkOf);
  const ofStripe = networks.filter((network) => network === 'stripe').length / seeds.length;
  expect(ofStripe).toBeGreaterThan(0.2);
  expect(ofStripe).toBeLessThan(0.3);
  expect([...new Set(networks.slice(0, 10))].toSorted()).toEqual(['horizon', 'stripe', 'tombstone']);
});

it('draws the same changes of the network for a seed, and others for another', () => {
  expect(drawProviderChanges(7, 'stripe')).toEqual(drawProviderChanges(7, 'stripe'));
  const drawn = seeds.slice(0, 10).map((seed) => JSON.stringify(drawProviderChanges(seed, 'stripe')));
  expect(new Set(drawn).size).toBeGreaterThan(5);
});

it.each(['tombstone', 'stripe'] as const)('gives each kind of change to some seeds of %s', (network) => {
  const kinds = new Set(seeds.flatMap((seed) => drawProviderChanges(seed, network).map(({ kind }) => kind)));
  const possible = Object.keys(changeNames).filter(
    (kind) => network === 'stripe' || kind !== 'refund-elsewhere',
  );
  expect([...kinds].toSorted()).toEqual(possible.toSorted());
});
