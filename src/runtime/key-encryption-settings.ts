import { z } from 'zod';

const url = z.url({ protocol: /^https?$/ });
/** A value that becomes a segment of a path. */
const segment = /^[\w.-]+$/;

/** The settings of the service that wraps the keys of ENCRYPTION_KEYS and LOOKUP_KEYS. ADR 0076. */
export const keyEncryptionShape = {
  KEY_ENCRYPTION: z
    .enum(['local', 'awsKms', 'vaultTransit'])
    .default('local')
    .describe(
      '`local`: ENCRYPTION_KEYS and LOOKUP_KEYS contain the keys. `awsKms`, `vaultTransit`: ' +
        'they contain keys that AWS KMS or HashiCorp Vault encrypted (`admin keys wrap`), and ' +
        'each process has them decrypted at its start. docs/security.md, "Keys in a key service".',
    ),
  AWS_KMS_KEY_ID: z
    .string()
    .min(1)
    .max(2048)
    .optional()
    .describe(
      'Key of AWS KMS that wraps the keys: id, ARN or alias. The official client finds its credentials.',
    ),
  AWS_KMS_REGION: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/, 'must be a region such as eu-central-1')
    .optional()
    .describe('Region of AWS KMS. Unset: that of the ARN, or `AWS_REGION`.'),
  AWS_KMS_ENDPOINT: url
    .optional()
    .describe('Address of AWS KMS, such as a VPC endpoint. Unset: that of the region.'),
  TRANSIT_URL: url
    .optional()
    .describe('Base URL of HashiCorp Vault, without a path. (`VAULT_URL` is the card vault.)'),
  TRANSIT_MOUNT: z
    .string()
    .regex(/^[\w.-]+(\/[\w.-]+)*$/, 'must be a path such as transit')
    .default('transit')
    .describe('Path of the transit engine in Vault.'),
  TRANSIT_KEY_NAME: z
    .string()
    .regex(segment, 'must be the name of a key')
    .optional()
    .describe(
      'Key of the transit engine that wraps the keys: ' +
        '`aes256-gcm96`, or another type that authenticates data.',
    ),
  TRANSIT_NAMESPACE: z
    .string()
    .regex(/^[\w./-]+$/, 'must be a namespace such as admin/payments')
    .optional()
    .describe('Namespace of Vault Enterprise. Unset: none.'),
  TRANSIT_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must be a token')
    .optional()
    .describe(
      'Token for Vault. Its policy allows `update` on `decrypt` of the key (and on `encrypt`, to wrap).',
    ),
};
