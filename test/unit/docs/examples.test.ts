import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { IdempotencyKeyHeaders } from '../../../src/api/http/request-schema.ts';
import { projectRoot } from '../../support/harness/project-root.ts';

const texts = ['README.md', ...filesBelow('docs', '.md'), ...filesBelow('examples', '')].map(
  (file) => [file, readFileSync(join(projectRoot, file), 'utf8')] as const,
);

function filesBelow(directory: string, ending: string): string[] {
  return readdirSync(join(projectRoot, directory), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => join(entry.parentPath, entry.name).slice(projectRoot.length).replace(/^\//, ''));
}

it('every example uses the same names for address and key of the service', () => {
  const other = /(?<![A-Z_])(?:\$\{?)?(?:API_URL|API_KEY|BASE_URL|BASE|KEY)(?:=|\}|\b(?<=\$\{?[A-Z_]+))/;
  expect(texts.length).toBeGreaterThan(20);
  expect(texts.filter(([, text]) => other.test(text)).map(([file]) => file)).toEqual([]);
  const named = texts.filter(([, text]) => text.includes('CARD_PAYMENTS_API_KEY')).map(([file]) => file);
  expect(named).toEqual(expect.arrayContaining(['README.md', 'docs/sandbox.md']));
});

it('every example sends an idempotency key that the service takes', () => {
  const keys = texts.flatMap(([file, text]) =>
    [...text.matchAll(/Idempotency-Key: ([\w-]+)['"]/g)].map(([, key = '']) => [file, key] as const),
  );
  expect(keys.length).toBeGreaterThan(2);
  const taken = IdempotencyKeyHeaders.shape['idempotency-key'];
  expect(keys.filter(([, key]) => !taken.safeParse(key).success)).toEqual([]);
});
