import { Found } from './found.ts';

const id = '01931c5e-7a2b-7c3d-8e4f-5a6b7c8d9e0f';
const page = `<a href="/dashboard/sandbox/payments/${id}?part=all&amp;x=1">One</a>
  <a href="https://shop.example/">Elsewhere</a> <a href="#top">Here</a>
  <form method="post" action="/dashboard/sandbox/payments/${id}/refunds">
    <input type="hidden" name="csrf" value="t&quot;1" /><select name="reason"></select>
    <textarea name="note">x</textarea><button>Refund</button>
  </form>
  <form action="/dashboard/sandbox/search"><input name="q" value="a b" /></form>`;

it('finds the forms and links of a page as a browser sends them', () => {
  const found = new Found();
  found.read('/dashboard/sandbox', page);
  expect(found.forms).toEqual([
    {
      action: `/dashboard/sandbox/payments/${id}/refunds`,
      fields: [
        ['csrf', 't"1'],
        ['reason', ''],
        ['note', ''],
      ],
    },
  ]);
  expect(found.links).toEqual([
    `/dashboard/sandbox/payments/${id}?part=all&x=1`,
    '/dashboard/sandbox/search?q=a+b',
  ]);
});

it('keeps one form and one link of each kind, the newest', () => {
  const found = new Found();
  found.read('/dashboard/sandbox', page);
  const other = '01931c5e-7a2b-7c3d-8e4f-5a6b7c8d9e10';
  found.read('/dashboard/sandbox', page.replaceAll(id, other));
  expect(found.forms.map(({ action }) => action)).toEqual([`/dashboard/sandbox/payments/${other}/refunds`]);
  expect(found.links).toHaveLength(2);
});
