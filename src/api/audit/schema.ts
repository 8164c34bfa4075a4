import * as z from 'zod';
import { dateTime } from '../http/schema.ts';

/** The last entry of a merchant's audit log. */
export const AuditHead = z
  .strictObject({
    sequence: z.int().min(0).meta({ description: 'Number of the last entry; 0: there is none.' }),
    hash: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .meta({ description: 'SHA-256 of the last entry with the hash before it.' }),
    signature: z
      .string()
      .nullable()
      .meta({ description: 'Ed25519, base64, of `card-payments audit entry`, a line feed and `hash`.' }),
    at: dateTime().nullable().meta({ description: 'When it was written.' }),
    publicKey: z.string().nullable().meta({ description: 'Verifies signatures; 32 bytes, base64.' }),
  })
  .meta({ id: 'AuditHead', description: 'The end of the audit log.' });
