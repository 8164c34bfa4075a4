import { disputeFileName, maxDisputeFileBytes } from '../../../src/domain/dispute-file.ts';
import { DashboardClient, invitationLink, ownerLink } from '../../support/dashboard.ts';
import { disputeOf, keyed, paidPayment } from '../../support/refunds-and-disputes.ts';
import { Shop } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const pdf = (inside = 'x', size = 0): Buffer =>
  Buffer.from(`%PDF-1.7\n${inside}\n`.padEnd(Math.max(0, size - 6), ' ') + '\n%%EOF');
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  'base64',
);
const filesOf = (page: string): string[] =>
  [...page.matchAll(/file\?file=([0-9a-f-]{36})/g)].map(([, id = '']) => id);

async function openDispute() {
  const merchantId = await world.merchant();
  const shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
  const payment = await paidPayment(shop);
  await keyed(shop, `/v1/sandbox/payments/${payment}/disputes`, { reason: 'fraudulent' });
  const id = String((await disputeOf(shop, payment))['id']);
  const owner = await DashboardClient.by(world, await ownerLink(world, merchantId));
  const path = `/dashboard/sandbox/disputes/${id}`;
  const add = (file: Buffer, name = 'letter.pdf', by = owner) =>
    by.post(`${path}/files`, { file: file.toString('base64'), 'file.name': name });
  return { merchantId, shop, id, owner, path, add };
}

it('keeps the files of a dispute by their bytes, for the members of its merchant', async () => {
  const { merchantId, owner, path, add } = await openDispute();
  expect((await add(png, '../../photo "of"\nparcel.PDF')).location).toBe(`${path}?done=fileAdded`);
  // Uploading the same file again creates no second one.
  await add(png, 'again.png');
  const page = await owner.get(path);
  const [id = '', ...others] = [...new Set(filesOf(page.text))];
  expect([others, page.text.includes('photo ofparcel.png'), page.text.includes('PNG, 1 KB')]).toEqual([
    [],
    true,
    true,
  ]);
  const saved = await owner.get(`${path}/file?file=${id}`);
  expect(saved.status).toBe(200);
  expect(Object.fromEntries(saved.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-disposition': "attachment; filename*=UTF-8''photo%20ofparcel.png",
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  });
  const reader = await DashboardClient.by(world, await invitationLink(world, merchantId, 'readOnly'));
  expect((await reader.get(`${path}/file?file=${id}`)).status).toBe(200);
  expect((await add(pdf(), 'other.pdf', reader)).status).toBe(403);
  const stranger = await openDispute();
  expect((await stranger.owner.get(`${path}/file?file=${id}`)).status).toBe(404);
  expect((await stranger.owner.get(`${stranger.path}/file?file=${id}`)).status).toBe(404);
  await stranger.owner.post(`${stranger.path}/files/remove`, { file: id });
  expect((await owner.get(`${path}/file?file=${id}`)).status).toBe(200);
  await owner.post(`${path}/files/remove`, { file: id });
  expect((await owner.get(`${path}/file?file=${id}`)).status).toBe(404);
  const { rows } = await world.database.query<{ action: string }>(
    `SELECT action FROM audit_entries WHERE merchant_id = $1 AND action LIKE 'dispute.file%' ORDER BY sequence`,
    [merchantId],
  );
  expect(rows.map(({ action }) => action)).toEqual(['dispute.fileAdded', 'dispute.fileRemoved']);
});

it('refuses files that are of another kind, too large or too many, and any once the evidence was sent', async () => {
  const { shop, id, owner, path, add } = await openDispute();
  const refused = async (file: Buffer, name?: string) => {
    const { status, text } = await add(file, name);
    return [status, /class="alert notice bad"[^>]*>\s*([^<]+)/.exec(text)?.[1] ?? ''];
  };
  expect(await refused(Buffer.from('<html><script>alert(1)</script>'), 'letter.pdf')).toEqual([
    422,
    expect.stringContaining("isn't a PDF, PNG or JPEG"),
  ]);
  expect(await refused(Buffer.alloc(0))).toEqual([422, 'Choose a file first.']);
  expect((await add(pdf('x', maxDisputeFileBytes + 100_000))).status).toBeGreaterThanOrEqual(400);
  // A form without a script sends base64, so three files of 1.5 MB and a last one reach the limit.
  for (const name of ['a', 'b', 'c']) expect((await add(pdf(name, 1_500_000))).status).toBe(303);
  expect(await refused(pdf('d', 1_000_000))).toEqual([409, expect.stringContaining('larger than 5 MB')]);
  for (const name of ['d', 'e']) expect((await add(pdf(name))).status).toBe(303);
  expect(await refused(pdf('f'))).toEqual([409, expect.stringContaining('already has 5 files')]);
  await shop.call('PUT', `/v1/disputes/${id}/evidence`, { evidence: { uncategorizedText: 'It was sent.' } });
  const packet = (await owner.get(path)).text.split('Files for your team, not submitted')[1] ?? '';
  expect(new Set(filesOf(packet)).size).toBe(5);
  expect((await keyed(shop, `/v1/disputes/${id}/submit`)).status).toBeLessThan(300);
  const [first = ''] = filesOf((await owner.get(path)).text);
  expect((await owner.post(`${path}/files/remove`, { file: first })).status).toBe(409);
  expect((await owner.get(`${path}/file?file=${first}`)).status).toBe(200);
});

it.each([
  ['C:\\Users\\ana\\scan.pdf', 'scan.pdf'],
  ['..', 'file.pdf'],
  ['', 'file.pdf'],
  [`${'x'.repeat(300)}.pdf`, `${'x'.repeat(100)}.pdf`],
  ['cart\u202Efdp.exe', 'cartfdp.pdf'],
])('names the file %j safely', (raw, name) => {
  expect(disputeFileName(raw, 'application/pdf')).toBe(name);
});
