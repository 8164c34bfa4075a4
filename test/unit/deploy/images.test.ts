import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

const read = (name: string): string => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8');
/** Built from the Dockerfile here, so it is not pulled. */
const own = 'card-payments';
/** A digest always names the same image; a tag may name another one later. */
const pinned = /^[a-z0-9./-]+:[\w][\w.-]*@sha256:[0-9a-f]{64}$/;

/** Returns the images that a compose file pulls. */
function pulledBy(compose: string): string[] {
  const { services } = parse(compose, { merge: true }) as { services: Record<string, { image?: string }> };
  return Object.values(services).flatMap(({ image }) =>
    image === undefined || image === own ? [] : [image],
  );
}

/** Returns the images on which a Dockerfile builds, by the defaults of its arguments. */
function builtUpon(dockerfile: string): string[] {
  const values = new Map(
    [...dockerfile.matchAll(/^ARG (\w+)=(\S+)$/gm)].map(([, name, value]) => [name, value]),
  );
  const stages = new Set([...dockerfile.matchAll(/^FROM \S+ AS (\w+)$/gm)].map(([, name]) => name));
  return [...dockerfile.matchAll(/^FROM (\S+)/gm)]
    .map(([, image = '']) => image.replace(/\$\{(\w+)\}/g, (_whole, name: string) => values.get(name) ?? ''))
    .filter((image) => !stages.has(image));
}

const unpinned = (images: readonly string[]): string[] => images.filter((image) => !pinned.test(image));

it('every image is pinned by tag and digest', () => {
  const pulled = pulledBy(read('docker-compose.yml'));
  expect(new Set(pulled.map((image) => image.replace(/:.*/, '')))).toEqual(
    new Set(['postgres', 'temporalio/admin-tools', 'temporalio/server', 'temporalio/ui']),
  );
  expect(unpinned(pulled)).toEqual([]);
  const base = builtUpon(read('Dockerfile'));
  expect(base).toHaveLength(2);
  expect(unpinned(base)).toEqual([]);
});

it('an image without a digest is reported, and one tag has one digest', () => {
  const compose =
    'services: { a: { image: postgres:18 }, b: { image: "x/y:1@sha256:12" }, c: { image: card-payments } }';
  expect(unpinned(pulledBy(compose))).toEqual(['postgres:18', 'x/y:1@sha256:12']);
  expect(unpinned(builtUpon('ARG BASE=node:24\nFROM ${BASE} AS build\nFROM build\n'))).toEqual(['node:24']);
  const all = [...new Set([...pulledBy(read('docker-compose.yml')), ...builtUpon(read('Dockerfile'))])];
  expect(new Set(all.map((image) => image.split('@')[0])).size).toBe(all.length);
});
