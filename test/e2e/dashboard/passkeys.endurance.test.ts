import type { CDPSession, Page } from 'playwright-core';
import { freshSignInMs } from '../../../src/domain/members.ts';
import { texts } from '../../../src/dashboard/texts/en.ts';
import { accessibilityFaults, withBrowser } from '../../support/browser.ts';
import { ownerLink } from '../../support/dashboard.ts';
import { HostedPage } from '../../support/hosted-page.ts';
import { memberWithPassword, password } from '../../support/member-passwords.ts';

/** Adds a virtual authenticator that always verifies its user. */
async function addAuthenticator(page: Page): Promise<{ session: CDPSession; authenticatorId: string }> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { session, authenticatorId };
}

withBrowser('passkeys', () => {
  const hosted = new HostedPage({ worker: false });

  it('are added, sign in, and confirm who the member is', () =>
    hosted.inTab(async ({ page, complaints }) => {
      const { world } = hosted;
      const merchantId = await world.merchant();
      await addAuthenticator(page);
      await page.goto(await ownerLink(world, merchantId));
      await page.getByTestId('nav-team').click();
      await page.getByLabel(texts.signIn.passkeyName).fill('Laptop');
      await page.getByTestId('passkey-add').click();
      await page.getByText(texts.common.notices.passkeyAdded).waitFor();

      await page.getByTestId('sign-out').click();
      await page.getByTestId('passkey-sign-in').click();
      await page.getByTestId('nav-developers').waitFor();

      await world.database.query(
        `UPDATE member_sessions s SET confirmed_at = confirmed_at - make_interval(secs => $2)
         FROM members m WHERE m.id = s.member_id AND m.merchant_id = $1`,
        [merchantId, freshSignInMs / 1000],
      );
      await page.getByTestId('nav-developers').click();
      await page.getByTestId('key-name').fill('Backend');
      await page.getByTestId('key-create').click();
      // A dialog asks. Closing it sends nothing, and keeps what was typed.
      await page.locator('dialog.dialog').getByTestId('passkey-confirm').waitFor();
      await page.keyboard.press('Escape');
      await page.locator('dialog.dialog').waitFor({ state: 'detached' });
      expect(await page.getByTestId('key-name').inputValue()).toBe('Backend');
      await page.getByTestId('key-create').click();
      await page.getByTestId('passkey-confirm').click();
      // After the confirmation the form is submitted automatically with the typed values.
      await page.getByTestId('api-key').waitFor();
      await page.getByText('Backend').waitFor();

      // A refused form is a page, to which Back returns.
      await page.getByTestId('nav-webhooks').click();
      await page.getByTestId('endpoint-url').fill('https://user@shop.example');
      await page.getByTestId('endpoint-save').click();
      await page.getByRole('alert').waitFor();
      expect(await page.getByTestId('endpoint-url').inputValue()).toBe('https://user@shop.example');
      await page.getByTestId('nav-payments').click();
      await page.getByTestId('search').waitFor();
      await page.goBack();
      await page.getByRole('alert').waitFor();
      expect(await page.getByTestId('endpoint-url').inputValue()).toBe('https://user@shop.example');
      // The browser logs the status of the refused form.
      complaints.splice(0);
      expect(complaints).toEqual([]);
    }));

  it('are offered at the first sign-in by a link, and not to members who have one', () =>
    hosted.inTab(async ({ page, complaints }) => {
      const { world } = hosted;
      const merchantId = await world.merchant();
      await addAuthenticator(page);
      const path = () => new URL(page.url()).pathname;
      await page.goto(await ownerLink(world, merchantId));
      expect(path()).toBe('/dashboard/sandbox/first-passkey');
      await page.getByTestId('passkey-later').click();
      await page.waitForURL('**/dashboard/sandbox');
      expect(await page.getByTestId('passkey-add').count()).toBe(0);
      // Another link offers it again, and leads to the home page.
      await page.goto(await ownerLink(world, merchantId));
      await page.getByTestId('passkey-add').click();
      await page.getByText(texts.common.notices.passkeyAdded).waitFor();
      expect(path()).toBe('/dashboard/sandbox');
      await page.goto(await ownerLink(world, merchantId));
      expect(path()).toBe('/dashboard/sandbox');
      // The menu of the member closes with Escape and with a click elsewhere.
      const inMenu = page.getByRole('link', { name: texts.common.yourSignIn });
      const menu = page.getByTestId('member-menu');
      for (const close of [() => page.keyboard.press('Escape'), () => page.locator('h1').click()]) {
        await menu.click();
        await inMenu.waitFor();
        await close();
        await inMenu.waitFor({ state: 'hidden' });
      }
      await menu.click();
      await inMenu.click();
      await page.waitForURL('**/team#sign-in');
      expect(complaints).toEqual([]);
    }));

  it('or a password confirm in a dialog, which a wrong code leaves open with the reason', () =>
    hosted.inTab(async ({ page }) => {
      const { world } = hosted;
      const member = await memberWithPassword(world);
      await page.goto(await ownerLink(world, member.merchantId));
      await world.database.query(
        `UPDATE member_sessions s SET confirmed_at = confirmed_at - make_interval(secs => $2)
         FROM members m WHERE m.id = s.member_id AND m.merchant_id = $1`,
        [member.merchantId, freshSignInMs / 1000],
      );
      await page.getByTestId('nav-webhooks').click();
      await page.getByTestId('endpoint-url').fill('http://127.0.0.1:9/hook');
      // The button that was pressed counts: this one tests the URL.
      await page.getByTestId('endpoint-try').click();
      const dialog = page.locator('dialog.dialog');
      const answer = async (code: string) => {
        await dialog.getByLabel(texts.signIn.password).fill(password);
        await dialog.getByLabel(texts.signIn.code).fill(code);
        await dialog.getByRole('button', { name: texts.signIn.confirmButton }).click();
      };
      await answer('never-a-code');
      await dialog.getByText('The name, password or code is wrong.').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await answer(member.recovery[0] ?? '');
      await page.getByTestId('endpoint-sample').waitFor();
      expect(await page.getByTestId('endpoint-url').inputValue()).toBe('http://127.0.0.1:9/hook');
      // From now on, nothing is asked for a while.
      await page.getByTestId('endpoint-save').click();
      await page.getByTestId('endpoint-secret').waitFor();
    }));

  it('reject a replayed response', () =>
    hosted.inTab(async ({ page, requests }) => {
      const { world } = hosted;
      await addAuthenticator(page);
      await page.goto(await ownerLink(world, await world.merchant()));
      await page.getByTestId('nav-team').click();
      await page.getByTestId('passkey-add').click();
      await page.getByText(texts.common.notices.passkeyAdded).waitFor();
      await page.getByTestId('sign-out').click();
      await page.getByTestId('passkey-sign-in').click();
      await page.getByTestId('sign-out').click();
      const sent = requests.find(({ url, method }) => method === 'POST' && url.endsWith('/sign-in/passkey'));
      const credential = new URLSearchParams(sent?.body).get('credential') ?? '';
      expect(credential).toContain('"signature"');
      await page.evaluate(
        `document.querySelector('[name=credential]').value = ${JSON.stringify(credential)};
         document.querySelector('form[data-passkey]').submit()`,
      );
      await page.getByText("That passkey didn't work").waitFor();
    }));

  it("of one member don't confirm another member", () =>
    hosted.inTab(async ({ page }) => {
      const { world } = hosted;
      const [mine, other] = [await world.merchant(), await world.merchant()];
      await addAuthenticator(page);
      for (const merchantId of [other, mine]) {
        await page.goto(await ownerLink(world, merchantId));
        // The second link must be confirmed, because it ends the first session.
        if (merchantId === mine) await page.getByTestId('follow-link').click();
        await page.getByTestId('nav-team').click();
        await page.getByTestId('passkey-add').click();
        await page.getByText(texts.common.notices.passkeyAdded).waitFor();
      }
      const { rows } = await world.database.query<{ id: string }>(
        `SELECT p.id FROM member_passkeys p JOIN members m ON m.id = p.member_id WHERE m.merchant_id = $1`,
        [other],
      );
      const origin = new URL(page.url()).origin;
      await page.goto(`${origin}/dashboard/sandbox/confirm`);
      // The browser signs with the passkey of the other merchant's member.
      const credential = await page.evaluate(
        `(async () => {
          const options = await (await fetch('/dashboard/sandbox/confirm/options')).json();
          options.allowCredentials = [{ id: ${JSON.stringify(rows[0]?.id)}, type: 'public-key' }];
          const made = await navigator.credentials.get({
            publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
          });
          return JSON.stringify(made);
        })()`,
      );
      await page.evaluate(
        `document.querySelector('[name=credential]').value = ${JSON.stringify(credential)};
         document.querySelector('form[data-passkey]').submit()`,
      );
      await page.getByText("That passkey didn't work").waitFor();
      expect(new URL(page.url()).pathname).toBe('/dashboard/sandbox/confirm');
    }));
});
