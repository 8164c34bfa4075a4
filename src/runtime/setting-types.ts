import { z } from 'zod';

/** An address by HTTP or HTTPS. */
export const url = z.url({ protocol: /^https?$/ });

/** A TCP port; 0 takes a free one. */
export const port = z.coerce.number().int().min(0).max(65535);
