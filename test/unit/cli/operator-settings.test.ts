import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operatorSettings } from '../../../src/cli/admin/operator.ts';

const directory = mkdtempSync(join(tmpdir(), 'card-payments-operator-'));
const given = process.env['DATABASE_URL'];
beforeEach(() => {
  delete process.env['DATABASE_URL'];
});
afterAll(() => {
  if (given !== undefined) process.env['DATABASE_URL'] = given;
  rmSync(directory, { recursive: true });
});

it("reads a stack on the operator's own Temporal, whose web UI is unknown", () => {
  const stack = {
    baseUrl: 'http://127.0.0.1:3000',
    databaseUrl: 'postgres://u:p@127.0.0.1:5432/own',
    temporalAddress: '127.0.0.1:7233',
    temporalUiUrl: null,
    vaultUrl: 'http://127.0.0.1:4010',
    networkUrl: 'http://127.0.0.1:4020',
  };
  writeFileSync(join(directory, 'stack.json'), JSON.stringify(stack));
  const settings = operatorSettings(directory);
  expect(settings.DATABASE_URL).toBe(stack.databaseUrl);
  expect(settings.TEMPORAL_UI_URL).toBeUndefined();
});
