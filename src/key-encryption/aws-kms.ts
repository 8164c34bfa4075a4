import type { KMSClient } from '@aws-sdk/client-kms';
import { type KeyBinding, type KeyEncryption, KeyEncryptionFault } from './port.ts';

interface AwsKms {
  /** Key id, ARN or alias; the one key that wraps and unwraps. */
  keyId: string;
  /** Unset: the ARN's region, or the one that the official client finds (`AWS_REGION`, profile). */
  region: string | undefined;
  /** Unset: the region's own. */
  endpoint: string | undefined;
  timeoutMs: number;
}

const otherKey =
  'AWS KMS cannot unwrap it with this key, id and setting: set AWS_KMS_KEY_ID and the entry it was wrapped with';
const credentials = 'AWS KMS did not accept the credentials: give this process a role or AWS_ACCESS_KEY_ID';

/** The meaning of the service's errors, by name. The service's own text may name accounts and roles. */
const refusals: Readonly<Record<string, string>> = {
  AccessDeniedException:
    'AWS KMS refused it: let the role of this process use AWS_KMS_KEY_ID (kms:Decrypt, and kms:Encrypt to wrap)',
  IncorrectKeyException: otherKey,
  InvalidCiphertextException: otherKey,
  NotFoundException: 'AWS KMS has no such key: set AWS_KMS_KEY_ID and AWS_KMS_REGION to a key that exists',
  DisabledException: 'the key of AWS KMS is disabled: enable it',
  KMSInvalidStateException: 'the key of AWS KMS cannot be used: enable it, or cancel its deletion',
  CredentialsProviderError:
    'there are no credentials for AWS KMS: give this process a role or AWS_ACCESS_KEY_ID',
  UnrecognizedClientException: credentials,
  InvalidSignatureException: credentials,
  IncompleteSignature: credentials,
  MissingAuthenticationTokenException: credentials,
  ExpiredTokenException: credentials,
};

/** Names of temporary errors that have the status of a refusal. */
const passing = ['ThrottlingException', 'LimitExceededException', 'TooManyRequestsException'];

/**
 * Returns the service of keys wrapped by AWS KMS, through the official client, which the first call loads. A
 * key is bound to its setting and id by the encryption context, which AWS also writes into its audit log.
 */
export function createAwsKms(options: AwsKms): KeyEncryption {
  const { keyId: KeyId } = options;
  return {
    wrap: (key, binding) =>
      callKms(options, async (sdk, client, abortSignal) => {
        const EncryptionContext = contextOf(binding);
        const command = new sdk.EncryptCommand({ KeyId, Plaintext: key, EncryptionContext });
        const { CiphertextBlob } = await client.send(command, { abortSignal });
        return Buffer.from(filled(CiphertextBlob)).toString('base64');
      }),
    unwrap: (wrapped, binding) =>
      callKms(options, async (sdk, client, abortSignal) => {
        const CiphertextBlob = Buffer.from(wrapped, 'base64');
        const EncryptionContext = contextOf(binding);
        const command = new sdk.DecryptCommand({ KeyId, CiphertextBlob, EncryptionContext });
        const { Plaintext } = await client.send(command, { abortSignal });
        return Buffer.from(filled(Plaintext));
      }),
  };
}

/** Returns the encryption context of a key. It is no secret. */
const contextOf = ({ setting, id }: KeyBinding) => ({ service: 'card-payments', setting, id });

function filled(bytes: Uint8Array | undefined): Uint8Array {
  if (bytes === undefined || bytes.length === 0) throw new KeyEncryptionFault(unreadable, true);
  return bytes;
}

const unreadable = 'AWS KMS answered without a key: check AWS_KMS_ENDPOINT';

async function callKms<T>(
  { keyId, region, endpoint, timeoutMs }: AwsKms,
  call: (
    sdk: typeof import('@aws-sdk/client-kms'),
    client: KMSClient,
    abortSignal: AbortSignal,
  ) => Promise<T>,
): Promise<T> {
  const sdk = await import('@aws-sdk/client-kms');
  // arn:aws:kms:REGION:account:key/id
  const known = region ?? (keyId.startsWith('arn:') ? keyId.split(':')[3] : undefined);
  const client = new sdk.KMSClient({
    ...(known && { region: known }),
    ...(endpoint && { endpoint }),
    // Retries are made in one place, for every service.
    maxAttempts: 1,
    requestHandler: { connectionTimeout: timeoutMs, requestTimeout: timeoutMs, throwOnRequestTimeout: true },
  });
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  // A source of credentials, such as the host's metadata, may ignore the signal.
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new KeyEncryptionFault(unreachable(`did not answer within ${timeoutMs / 1000} s`), true));
      stopping.abort();
    }, timeoutMs);
  });
  try {
    return await Promise.race([call(sdk, client, stopping.signal), late]);
  } catch (error) {
    throw faultOf(error);
  } finally {
    clearTimeout(timer);
    client.destroy();
  }
}

const unreachable = (how: string): string =>
  `AWS KMS ${how}: check AWS_KMS_REGION, AWS_KMS_ENDPOINT and the network`;

function faultOf(error: unknown): KeyEncryptionFault {
  if (error instanceof KeyEncryptionFault) return error;
  if (!(error instanceof Error)) return new KeyEncryptionFault(unreachable('could not be called'), true);
  const { name, message, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
  const refusal = refusals[name];
  if (refusal !== undefined) return new KeyEncryptionFault(refusal, false);
  if (message === 'Region is missing') {
    return new KeyEncryptionFault('AWS KMS has no region: set AWS_KMS_REGION', false);
  }
  const status = $metadata?.httpStatusCode;
  if (status === undefined) return new KeyEncryptionFault(unreachable('could not be reached'), true);
  if (status >= 300 && status < 400) {
    return new KeyEncryptionFault(
      `AWS KMS answered with a redirect (${status}): correct AWS_KMS_ENDPOINT`,
      false,
    );
  }
  if (status >= 500 || status === 429 || passing.includes(name)) {
    return new KeyEncryptionFault(`AWS KMS is not available (${status}): try again later`, true);
  }
  if (status < 300) return new KeyEncryptionFault(unreadable, true);
  return new KeyEncryptionFault(`AWS KMS refused it (${status}): check AWS_KMS_KEY_ID and the entry`, false);
}
