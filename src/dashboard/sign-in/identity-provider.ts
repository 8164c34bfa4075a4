import * as openid from 'openid-client';
import type { ProviderIdentity } from '../../db/members/member-identities.ts';

/** A provider with which members may sign in, besides the dashboard's own methods. docs/dashboard.md. */
export interface IdentityProvider {
  /** The name on the button. */
  name: string;
  /**
   * Returns the address to which to redirect the browser, and the values to check on its return. `again`: a
   * person who is already signed in there has to sign in again. Throws if the provider does not answer.
   */
  begin(again: boolean): Promise<{ url: string; pending: PendingSignIn }>;
  /**
   * Returns the identity of the returning visitor. `query`: that of the return address. Throws
   * `IdentityRefused` if the provider refused or its answer failed a check, and another error if it did not
   * answer.
   */
  finish(pending: PendingSignIn, query: string): Promise<Identity>;
}

/** The values with which one sign-in is checked; the browser keeps them encrypted. */
export interface PendingSignIn {
  state: string;
  nonce: string;
  verifier: string;
  again: boolean;
}

/** An identity: an e-mail address that the provider has verified, and when the person signed in there. */
export interface Identity extends ProviderIdentity {
  email: string;
  authenticatedAt: Date | null;
}

/** Thrown when the provider's answer failed a check. The message is for the operator's log. */
export class IdentityRefused extends Error {}

const timeoutSeconds = 5;
/** How long the provider's configuration is cached, in ms. */
const knownMs = 3_600_000;
/** The maximum age of a repeated sign-in at the provider, in seconds. */
const againSeconds = 60;

/** The library's error codes for a wrong answer from the provider. */
const wrongAnswers: readonly string[] = [
  'OAUTH_AUTHORIZATION_RESPONSE_ERROR',
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
  'OAUTH_UNSUPPORTED_OPERATION',
  'OAUTH_WWW_AUTHENTICATE_CHALLENGE',
];

function isWrongAnswer(error: unknown): boolean {
  if (error instanceof openid.ResponseBodyError) return error.status < 500;
  return wrongAnswers.includes(String((error as { code?: unknown }).code));
}

/**
 * Returns an OpenID provider for signing in: authorization code with PKCE, state and nonce. Its configuration
 * is read at the first use, and again every hour. `now`: epoch ms.
 */
export function createIdentityProvider(options: {
  issuer: string;
  clientId: string;
  clientSecret: string;
  name: string;
  redirectUri: string;
  now: () => number;
}): IdentityProvider {
  const { issuer, clientId, clientSecret, name, redirectUri, now } = options;
  let known: { at: number; config: Promise<openid.Configuration> } | null = null;

  const discover = async (): Promise<openid.Configuration> => {
    const url = new URL(issuer);
    // The settings accept an address without TLS in development only.
    const execute = url.protocol === 'http:' ? [openid.allowInsecureRequests] : [];
    const found = await openid.discovery(url, clientId, clientSecret, undefined, {
      execute,
      timeout: timeoutSeconds,
    });
    const server = found.serverMetadata();
    const ways = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authentication =
      ways.includes('client_secret_post') && !ways.includes('client_secret_basic')
        ? openid.ClientSecretPost(clientSecret)
        : openid.ClientSecretBasic(clientSecret);
    const config = new openid.Configuration(server, clientId, clientSecret, authentication);
    config.timeout = timeoutSeconds;
    for (const step of execute) step(config);
    return config;
  };

  const configuration = (): Promise<openid.Configuration> => {
    if (known && now() - known.at < knownMs) return known.config;
    const entry = { at: now(), config: discover() };
    known = entry;
    entry.config.catch(() => {
      if (known === entry) known = null;
    });
    return entry.config;
  };

  return {
    name,
    begin: async (again) => {
      const config = await configuration();
      const pending = {
        state: openid.randomState(),
        nonce: openid.randomNonce(),
        verifier: openid.randomPKCECodeVerifier(),
        again,
      };
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'openid email',
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: 'S256',
        ...(again ? { prompt: 'login', max_age: '0' } : {}),
      });
      return { url: url.href, pending };
    },
    finish: async ({ state, nonce, verifier, again }, query) => {
      try {
        const config = await configuration();
        const url = new URL(redirectUri);
        url.search = query;
        const tokens = await openid.authorizationCodeGrant(config, url, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
          ...(again ? { maxAge: againSeconds } : {}),
        });
        const claims = tokens.claims();
        if (!claims) throw new IdentityRefused('no ID token');
        // Some providers return the address only from their userinfo endpoint.
        const claimsWithEmail =
          claims['email'] === undefined && config.serverMetadata().userinfo_endpoint !== undefined
            ? await openid.fetchUserInfo(config, tokens.access_token, claims.sub)
            : claims;
        const { email, email_verified: verified } = claimsWithEmail;
        if (typeof email !== 'string' || verified !== true) {
          throw new IdentityRefused('no address that the provider verified');
        }
        const at = claims.auth_time;
        return {
          email,
          issuer: claims.iss,
          subject: claims.sub,
          authenticatedAt: typeof at === 'number' ? new Date(at * 1000) : null,
        };
      } catch (error) {
        if (isWrongAnswer(error)) throw new IdentityRefused('the answer was refused', { cause: error });
        throw error;
      }
    },
  };
}
