import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TEST_CARD_NUMBERS } from '../../../simulators/test-cards.ts';
import { call, cardFields, rawFiles, sha256, World } from '../../support/simulators.ts';

/** Returns the encodings in which a secret could occur. */
function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [secret, bytes.toString('base64').replace(/=+$/, ''), bytes.toString('hex')];
}

describe('the data of the simulators', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start();
  });
  afterEach(() => world.stop());

  it('V2: no card number, security code, token, capture secret or frame key is on disk or in a log, in any spelling', async () => {
    const cvv = '8364';
    const secrets: string[] = [];
    for (const number of TEST_CARD_NUMBERS) {
      const session = await world.session();
      const amex = number.startsWith('37');
      const captured = await world.capture(session, number, amex ? { card_cvv: cvv } : {});
      const { token } = captured.json<{ token: string }>();
      secrets.push(number, token, session.secret, session.frameKey);
      const headers = { 'x-cardvault-frame-key': session.frameKey };
      await call(`${world.vaultUrl}/frame/${session.reference}/capture`, {
        json: cardFields(number),
        headers,
      });
      await world.claim(session, token);
      await world
        .charge(`${session.paymentId}:1`, world.chargeBody(session, token), {
          signal: AbortSignal.timeout(400),
        })
        .catch(() => null);
    }
    const kept = `${await rawFiles(world)}\n${world.logs.join('\n')}`;
    expect(kept).toContain('"last4":"4242"');
    const [plain = cvv, ...encoded] = spellings(cvv);
    const found = [...secrets.flatMap(spellings), ...encoded].filter((spelling) => kept.includes(spelling));
    expect(found).toEqual([]);
    // Four digits occur in many hashes and times by chance, so only a separate number counts as the code.
    expect(kept).not.toMatch(new RegExp(`(?<![0-9A-Za-z])${plain}(?![0-9A-Za-z])`));
  });

  it('V2: refused input is in no file, log or answer', async () => {
    const session = await world.session();
    const canary = '4929420573595709';
    const answers = [
      await world.capture(session, canary),
      await world.capture(session, '4242424242424242', { card_cvv: canary }),
      await world.capture(session, '4242424242424242', { [canary]: canary }),
      await call(`${world.vaultUrl}/${canary}?n=${canary}`),
    ];
    const seen = [await rawFiles(world), ...world.logs, ...answers.map(({ text }) => text)].join('\n');
    expect(seen).not.toContain(canary);
  });

  it('the log names route templates, never addresses', async () => {
    const session = await world.session();
    await world.capture(session, '4242424242424242');
    expect(world.logs.join('\n')).toContain('"route":"/capture/:reference"');
    expect(world.logs.join('\n')).not.toContain(session.reference);
  });

  it('a purge drops the card, and its key from the file that holds keys', async () => {
    const { session, token } = await world.token('4242424242424242');
    const keysFile = join(world.dir, 'vault', 'card-keys.jsonl');
    expect(await readFile(keysFile, 'utf8')).toContain(sha256(token));
    world.skewMs = 40 * 60_000;
    await world.vault.purge();
    expect(await readFile(keysFile, 'utf8')).toBe('');
    world.skewMs = 0;
    expect(await world.claim(session, token)).toEqual({ status: 'rejected', reason: 'unknown_token' });
  });

  it('a purge keeps the cards that are not due', async () => {
    const old = await world.token('4242424242424242');
    world.skewMs = 30 * 60_000;
    const young = await world.token('5555555555554444');
    world.skewMs = 41 * 60_000;
    await world.vault.purge();
    expect(await world.claim(old.session, old.token)).toMatchObject({ status: 'rejected' });
    expect(await world.claim(young.session, young.token)).toMatchObject({ status: 'accepted' });
  });

  it('the ciphertext of one card does not open under the token of another', async () => {
    const one = await world.token('4242424242424242');
    const two = await world.token('5555555555554444');
    await world.vault.close();
    const file = join(world.dir, 'vault', 'vault.jsonl');
    const swapped = (await readFile(file, 'utf8'))
      .replaceAll(sha256(one.token), 'X')
      .replaceAll(sha256(two.token), sha256(one.token))
      .replaceAll('"X"', `"${sha256(two.token)}"`);
    await writeFile(file, swapped);
    await world.startVault();
    const { paymentId, merchantId, environment } = two.session;
    const json = { token: one.token, paymentId, merchantId, environment };
    const answer = await world.service(`/service/sessions/${two.session.reference}/claim`, { json });
    expect(answer.status).toBe(500);
    expect(answer.text).not.toMatch(/4444|4242/);
  });
});
