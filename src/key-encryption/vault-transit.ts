import { type KeyBinding, type KeyEncryption, KeyEncryptionFault } from './port.ts';

interface VaultTransit {
  /** Base URL of HashiCorp Vault. */
  url: string;
  /** Path of the transit engine. */
  mount: string;
  /** Name of the key there. Its type must be one that authenticates data, such as `aes256-gcm96`. */
  keyName: string;
  /** Namespace of Vault Enterprise. */
  namespace: string | undefined;
  token: string;
  timeoutMs: number;
}

/** The longest answer, in bytes. */
const longest = 64 * 1024;

/**
 * Returns the service of keys wrapped by the transit engine of HashiCorp Vault, over its HTTP API. A key is
 * bound to its setting and id by the associated data.
 */
export function createVaultTransit(options: VaultTransit): KeyEncryption {
  return {
    wrap: async (key, binding) =>
      call(options, 'encrypt', { plaintext: key.toString('base64'), ...bound(binding) }, 'ciphertext'),
    unwrap: async (wrapped, binding) => {
      const body = { ciphertext: wrapped, ...bound(binding) };
      return Buffer.from(await call(options, 'decrypt', body, 'plaintext'), 'base64');
    },
  };
}

const bound = ({ setting, id }: KeyBinding) => ({
  associated_data: Buffer.from(JSON.stringify(['card-payments', setting, id])).toString('base64'),
});

/** Returns `data[field]` of the answer. */
async function call(
  { url, mount, keyName, namespace, token, timeoutMs }: VaultTransit,
  operation: 'encrypt' | 'decrypt',
  body: Record<string, string>,
  field: string,
): Promise<string> {
  const address = `${url.replace(/\/$/, '')}/v1/${mount}/${operation}/${keyName}`;
  const signal = AbortSignal.timeout(timeoutMs);
  let status: number;
  let text: string;
  try {
    const answer = await fetch(address, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-vault-request': 'true',
        'x-vault-token': token,
        ...(namespace && { 'x-vault-namespace': namespace }),
      },
      body: JSON.stringify(body),
      // A redirect could send the token to another host.
      redirect: 'manual',
      signal,
    });
    ({ status } = answer);
    text = await limited(answer);
  } catch {
    const how = signal.aborted ? `did not answer within ${timeoutMs / 1000} s` : 'could not be reached';
    throw new KeyEncryptionFault(`Vault ${how}: check TRANSIT_URL and the network`, true);
  }
  if (status !== 200) throw refusalOf(status);
  const found = fieldOf(text, field);
  if (found === null) throw new KeyEncryptionFault('Vault answered without a key: check TRANSIT_URL', true);
  return found;
}

function refusalOf(status: number): KeyEncryptionFault {
  const refused = (message: string) => new KeyEncryptionFault(message, false);
  if (status >= 300 && status < 400) {
    return refused(`Vault answered with a redirect (${status}): set TRANSIT_URL to where it leads`);
  }
  if (status === 401 || status === 403) {
    return refused(
      `Vault refused the token (${status}): set TRANSIT_TOKEN to one whose policy allows TRANSIT_KEY_NAME`,
    );
  }
  if (status === 404)
    return refused('Vault has no such path (404): correct TRANSIT_MOUNT and TRANSIT_KEY_NAME');
  // 412: a standby does not have the active node's data yet; 503: sealed.
  if (status >= 500 || status === 412 || status === 429) {
    return new KeyEncryptionFault(
      `Vault is sealed or not available (${status}): unseal it, or try later`,
      true,
    );
  }
  return refused(
    `Vault cannot do it with this key, id and setting (${status}): ` +
      'set TRANSIT_KEY_NAME and the entry it was wrapped with',
  );
}

async function limited(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length;
    if (bytes > longest) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Returns a text of the answer's `data`; null when there is none. */
function fieldOf(text: string, field: string): string | null {
  try {
    const { data } = JSON.parse(text) as { data?: Record<string, unknown> };
    const found = data?.[field];
    return typeof found === 'string' && found !== '' ? found : null;
  } catch {
    return null;
  }
}
