import { type Scope, includesScope, scopeResources } from '../../domain/scopes.ts';
import { Refusal } from '../../domain/refusals.ts';

/** Path segments whose scope has another name. */
const renamed: Readonly<Record<string, string>> = {
  'webhook-endpoints': 'webhooks',
  'payment-links': 'payments',
  movements: 'payments',
  requests: 'events',
  // The end of the audit log shows that something changed, never what.
  audit: 'events',
};

/**
 * Returns the scope that a call requires, derived from its path. Everything below `/v1/sandbox` requires the
 * sandbox scope. Otherwise the last resource of the path counts, so the refunds of a payment require the
 * refund scope.
 */
export function requiredScope({ method, path }: { method: string; path: string }): Scope {
  const access = method.toLowerCase() === 'get' ? 'read' : 'write';
  if (path.startsWith('/v1/sandbox/')) return `sandbox:${access}`;
  const segments = path.split('/').map((segment) => renamed[segment] ?? segment);
  const resource = segments
    .toReversed()
    .flatMap((segment) => scopeResources.filter((name) => name === segment))[0];
  if (resource === undefined) throw new Error(`${path} belongs to no resource`);
  return `${resource}:${access}`;
}

/**
 * Refuses a call beyond the scopes of a restricted key: insufficient_scope (403), which names the needed
 * scope. Nothing was read for the call, so the answer does not depend on what exists.
 */
export function requireScope(held: readonly Scope[], call: { method: string; path: string }): void {
  const needed = requiredScope(call);
  if (includesScope(held, needed)) return;
  throw new Refusal('insufficient_scope', {
    message: `This key has no scope for this call: it needs ${needed}.`,
  });
}
