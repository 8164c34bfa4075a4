import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { secretSettings } from '../../../src/runtime/secret-files.ts';
import { readCardFrameSettings, readSettings, settingsSchema } from '../../../src/runtime/settings.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'secret-files-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

const DATABASE_URL = 'postgres://user:pw@127.0.0.1/db';
function fileOf(content: string): string {
  const path = join(directory, `${Math.random()}`);
  writeFileSync(path, content);
  return path;
}

it('every setting that holds a secret can be a file', () => {
  const secret = Object.keys(settingsSchema.shape).filter(
    (name) => /(KEY|KEYS|SECRET|TOKEN|PASSWORD)$/.test(name) || name === 'DATABASE_URL',
  );
  expect(secret.toSorted()).toEqual(secretSettings.toSorted());
});

it.each(secretSettings)(
  '%s is read from the file that %s_FILE names, without the line feed at its end',
  (name) => {
    const value: Record<string, string> = {
      DATABASE_URL,
      ENCRYPTION_KEYS: `k:${Buffer.alloc(32, 'an own key').toString('base64')}`,
      LOOKUP_KEYS: `l:${Buffer.alloc(32, 'another key').toString('base64')}`,
    };
    const text = value[name] ?? `whsec_${Buffer.alloc(32, 'a secret').toString('base64')}`;
    const given = { [`${name}_FILE`]: fileOf(`${text}\n`) };
    const others = name.startsWith('OIDC') ? { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'a' } : {};
    const settings: Record<string, unknown> = readSettings({
      ...(name === 'DATABASE_URL' ? {} : { DATABASE_URL }),
      ...others,
      ...given,
    });
    expect(settings[name]).toBe(text);
  },
);

it('the card frame reads its key from a file too', () => {
  const CARD_FRAME_KEY_FILE = fileOf('k'.repeat(40));
  const { CARD_FRAME_KEY } = readCardFrameSettings({
    CARD_FRAME_URL: 'http://127.0.0.1:4050',
    PUBLIC_URL: 'http://127.0.0.1:3000',
    CARD_FRAME_KEY_FILE,
  });
  expect(CARD_FRAME_KEY).toBe('k'.repeat(40));
});

it.each([
  ['is missing', () => '/of/no/file', 'does not exist'],
  ['is a folder', () => directory, 'is no file'],
  ['is empty', () => fileOf('\n'), 'is empty'],
  ['is too large', () => fileOf('x'.repeat(70_000)), 'larger than 64 KB'],
])('a file that %s is named in one line', (_what, path, expected) => {
  const start = () => readSettings({ DATABASE_URL, CODEC_TOKEN_FILE: path() });
  expect(start).toThrow(/^CODEC_TOKEN_FILE: [^\n]*$/);
  expect(start).toThrow(expected);
});

it('a wrong secret in a file is named by its setting and not quoted', () => {
  const start = () => readSettings({ DATABASE_URL, CODEC_TOKEN_FILE: fileOf('hidden') });
  expect(start).toThrow(/^CODEC_TOKEN: /);
  expect(start).not.toThrow('hidden');
});

it('a setting and its file at once are refused', () => {
  const both = { DATABASE_URL, DATABASE_URL_FILE: fileOf(DATABASE_URL) };
  expect(() => readSettings(both)).toThrow('DATABASE_URL and DATABASE_URL_FILE are both set');
});
