import { withBrowser } from '../../support/browser.ts';
import { ownerLink } from '../../support/dashboard.ts';
import { HostedPage } from '../../support/hosted-page.ts';

withBrowser('a sign-in link', () => {
  const hosted = new HostedPage({ worker: false });

  it('has to be confirmed on its way from another website, and not when it is typed', () =>
    hosted.inTab(async ({ page, complaints }) => {
      const { world, site } = hosted;
      const merchantId = await world.merchant();
      const link = await ownerLink(world, merchantId);
      await page.goto(`${site.origin}/`);
      await page.evaluate(`document.body.innerHTML = '<a href="${link}">Your parcel</a>'`);
      await page.getByText('Your parcel').click();
      await page.getByText('Another website sent you here').waitFor();
      expect(await page.context().cookies(new URL(link).origin)).not.toContainEqual(
        expect.objectContaining({ name: '__Host-dashboard' }),
      );
      await page.getByTestId('follow-link').click();
      await page.getByTestId('sign-out').click();

      await page.goto(await ownerLink(world, merchantId));
      await page.getByTestId('sign-out').waitFor();
      expect(complaints).toEqual([]);
    }));
});
