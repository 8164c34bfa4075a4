import { withBrowser } from '../../support/browser.ts';
import { DashboardClient, invitationLink, ownerLink } from '../../support/dashboard.ts';
import { HostedPage } from '../../support/hosted-page.ts';
import { setMail } from '../../support/mail-world.ts';
import { idOf, keyed, paidPayment } from '../../support/refunds-and-disputes.ts';
import { Shop } from '../../support/shop.ts';

/**
 * Opens all folds of the page; returns each button beside a field, with the px by which it is below the
 * middle of that field. A button that does not fit beside its field is below it, which is level with nothing.
 */
const buttonsBesideFields = `(() => {
  for (const fold of document.querySelectorAll('main details')) fold.open = true;
  const boxOf = (element) => element.getBoundingClientRect();
  return [...document.querySelectorAll('main form .btn')].flatMap((button) => {
    const box = boxOf(button);
    const fields = [...button.parentElement.children].flatMap((one) =>
      one.matches('.field') ? [...one.querySelectorAll('input, select')] : one.matches('select') ? [one] : [],
    );
    const beside = fields.map(boxOf).filter(({ top, bottom }) => top < box.bottom && bottom > box.top);
    const last = beside.at(-1);
    return last === undefined
      ? []
      : [[button.innerText, Math.round(((box.top + box.bottom) - (last.top + last.bottom)) / 2)]];
  });
})()`;

withBrowser('a button beside a field', () => {
  const hosted = new HostedPage();

  it('is level with it', () =>
    hosted.inTab(
      async ({ page }) => {
        const { world } = hosted;
        const merchantId = await world.merchant();
        const shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
        const paid = await paidPayment(shop);
        const dispute = await keyed(shop, `/v1/sandbox/payments/${paid}/disputes`, { reason: 'fraudulent' });
        // With another member, and with addresses of members.
        await DashboardClient.by(world, await invitationLink(world, merchantId, 'support'));
        await setMail(world, merchantId, 'smtp://127.0.0.1:9');
        await page.goto(await ownerLink(world, merchantId));
        const { origin } = new URL(page.url());
        const found: Record<string, [name: string, offset: number][]> = {};
        const paths = ['/team', `/disputes/${idOf(dispute)}`, `/payments/${paid}`, '/payments', '/refunds'];
        for (const path of [...paths, '/reports', '/developers', '/developers/requests', '/settings']) {
          await page.goto(`${origin}/dashboard/sandbox${path}`);
          found[path.split('/')[1] ?? ''] = await page.evaluate(buttonsBesideFields);
        }
        const names = Object.values(found).flatMap((buttons) => buttons.map(([name]) => name));
        expect(names).toEqual(expect.arrayContaining(['Save', 'Change', 'Add file', 'Create link', 'Apply']));
        const uneven = Object.entries(found).flatMap(([path, buttons]) =>
          buttons.filter(([, offset]) => offset !== 0).map((button) => [path, ...button]),
        );
        expect(uneven).toEqual([]);
      },
      { viewport: { width: 1280, height: 860 } },
    ));
});
