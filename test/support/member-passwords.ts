import { Secret, TOTP } from 'otpauth';
import { DashboardClient, ownerLink, type PageAnswer } from './dashboard.ts';
import type { World } from './world.ts';

const home = '/dashboard/sandbox';
let logins = 0;

/** A password that is hard to guess. */
export const password = 'correct horse battery staple';

/** Returns the code that an authenticator app shows `steps` time steps from now. */
export const codeOf = (secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });

/** A member with a password, the sign-in data, and the recovery codes that were shown. */
export interface PasswordMember {
  merchantId: string;
  client: DashboardClient;
  login: string;
  secret: string;
  recovery: string[];
}

/** Creates a new merchant's owner who has set a password. */
export async function memberWithPassword(world: World): Promise<PasswordMember> {
  const merchantId = await world.merchant();
  const client = await DashboardClient.by(world, await ownerLink(world, merchantId));
  const page = await client.get(`${home}/team/password`);
  const secret = /data-testid="totp-secret">([A-Z2-7]+)</.exec(page.text)?.[1] ?? '';
  logins += 1;
  const login = `Ada-${logins}@example.org`;
  for (let attempt = 1; ; attempt += 1) {
    // The code of the previous step, so that the next one is still unused.
    const code = codeOf(secret, -1);
    const set = await client.post(`${home}/team/password`, { login, password, secret, code });
    const { text: codes } = set.location === null ? set : await client.follow(set);
    const shown = /data-testid="recovery-codes">([^<]+)</.exec(codes)?.[1] ?? '';
    // When the step ends in the meantime, the code is too old, and the next one is used.
    if (shown !== '' || attempt === 3)
      return { merchantId, client, login, secret, recovery: shown.split('\n') };
  }
}

/** Posts a form of the sign-in page with a new client. */
export async function postSignIn(
  world: World,
  path: string,
  fields: Record<string, string>,
): Promise<PageAnswer> {
  const client = new DashboardClient(world);
  const { text } = await client.get('/dashboard/sign-in');
  const csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
  return client.post(path, { to: home, ...fields }, csrf);
}

/** Removes the lock of a sign-in name. */
export const deleteTries = (world: World, login: string): Promise<unknown> =>
  world.database.query(
    'DELETE FROM member_tries t USING members m WHERE m.id = t.member_id AND m.login = $1',
    [login.toLowerCase()],
  );
