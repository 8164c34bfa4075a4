import type { Operation } from './operation.ts';

/** What a restricted key can be limited to. */
export const scopeResources = [
  'payments',
  'refunds',
  'disputes',
  'webhooks',
  'events',
  'branding',
  'sandbox',
] as const;
export type Scope = `${(typeof scopeResources)[number]}:${'read' | 'write'}`;

/** The segments of paths whose resource has another name. */
const renamed: Readonly<Record<string, string>> = {
  'webhook-endpoints': 'webhooks',
  'payment-links': 'payments',
};

/**
 * Returns the scope that a call requires, by its path: everything below `/v1/sandbox` is of the sandbox;
 * otherwise the last resource of the path counts, so that the refunds of a payment are refunds. Only
 * documented: no key is restricted yet.
 */
export function requiredScope({ method, path }: Pick<Operation, 'method' | 'path'>): Scope {
  const access = method === 'get' ? 'read' : 'write';
  if (path.startsWith('/v1/sandbox/')) return `sandbox:${access}`;
  const segments = path.split('/').map((segment) => renamed[segment] ?? segment);
  const resource = segments
    .toReversed()
    .flatMap((segment) => scopeResources.filter((name) => name === segment))[0];
  if (resource === undefined) throw new Error(`${path} belongs to no resource`);
  return `${resource}:${access}`;
}
