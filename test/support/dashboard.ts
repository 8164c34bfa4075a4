import { createKeyring } from '../../src/crypto/keyring.ts';
import { hashPurposes } from '../../src/crypto/seal-contexts.ts';
import { randomUrlSecret } from '../../src/crypto/secrets.ts';
import { createOwnerLink } from '../../src/db/members/sign-in-links.ts';
import { createInvitation } from '../../src/db/members/invitations.ts';
import type { Role } from '../../src/domain/members.ts';
import { dashboardUrl } from '../../src/runtime/settings.ts';
import { byOperator } from './harness/by-operator.ts';
import type { World } from './world.ts';

function newToken(world: World): { hash: Buffer; link: string } {
  const keyring = createKeyring(world.settings.ENCRYPTION_KEYS, world.settings.LOOKUP_KEYS);
  const token = randomUrlSecret();
  return {
    hash: keyring.lookupHash(hashPurposes.signInLink, token),
    link: `${dashboardUrl(world.settings)}/dashboard/link/${token}`,
  };
}

/** Returns a link that signs the merchant's owner in, like `admin dashboard link`. */
export async function ownerLink(world: World, merchantId: string): Promise<string> {
  const { hash, link } = newToken(world);
  await createOwnerLink(world.database, merchantId, hash, byOperator());
  return link;
}

/** Returns a link with which a new member joins in a role. */
export async function invitationLink(world: World, merchantId: string, role: Role): Promise<string> {
  const { hash, link } = newToken(world);
  await createInvitation(
    world.database,
    { tokenHash: hash, merchantId, role, name: `The ${role}`, email: null },
    byOperator(),
  );
  return link;
}

/** An answer to a request of the dashboard. */
export interface PageAnswer {
  status: number;
  text: string;
  headers: Headers;
  location: string | null;
}

/** The dashboard's client without a browser: its cookies, and the token of its forms. */
export class DashboardClient {
  readonly origin: string;
  readonly cookies = new Map<string, string>();

  constructor(world: World) {
    this.origin = world.baseUrl;
  }

  /** Returns a client that a link signed in. */
  static async by(world: World, link: string): Promise<DashboardClient> {
    const client = new DashboardClient(world);
    const answer = await client.get(new URL(link).pathname);
    if (answer.status !== 303) throw new Error(`the link answered ${answer.status}`);
    return client;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<PageAnswer> {
    return this.#send(path, { headers });
  }

  /**
   * Posts a form, with the token of this client's own forms unless another is given. It opens the page that
   * answers a form, as a browser does. It does not follow other redirects.
   */
  async post(
    path: string,
    fields: Record<string, string> = {},
    token?: string | null,
    headers: Record<string, string> = {},
  ): Promise<PageAnswer> {
    const answer = await this.send(path, fields, headers, token);
    const isAnswer = /answer-id=|refused=1/.test(answer.location ?? '');
    return isAnswer ? this.follow(answer) : answer;
  }

  /** Posts a form without following a redirect. */
  async send(
    path: string,
    fields: Record<string, string> = {},
    headers: Record<string, string> = {},
    token?: string | null,
  ): Promise<PageAnswer> {
    const csrf = token === undefined ? await this.token() : token;
    const body = new URLSearchParams({ ...fields, ...(csrf === null ? {} : { csrf }) });
    return this.#send(path, { method: 'POST', body, headers });
  }

  /** Follows the redirect of an answer. */
  async follow({ location }: PageAnswer): Promise<PageAnswer> {
    return location === null ? Promise.reject(new Error('it leads nowhere')) : this.get(location);
  }

  /** Returns the token of this client's forms. */
  async token(): Promise<string> {
    const { text } = await this.get('/dashboard/sandbox/confirm');
    return /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
  }

  async #send(path: string, init: RequestInit): Promise<PageAnswer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(this.origin + path, {
      redirect: 'manual',
      ...init,
      headers: { ...(init.headers as Record<string, string>), ...(cookie === '' ? {} : { cookie }) },
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const at = pair.indexOf('=');
      const value = pair.slice(at + 1);
      if (value === '' || /max-age=0|expires=Thu, 01 Jan 1970/i.test(line))
        this.cookies.delete(pair.slice(0, at));
      else this.cookies.set(pair.slice(0, at), value);
    }
    const text = await response.text();
    return {
      status: response.status,
      text,
      headers: response.headers,
      location: response.headers.get('location'),
    };
  }
}
