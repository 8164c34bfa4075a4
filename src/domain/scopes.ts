/** The resources to which a restricted key can be limited. */
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

/** Every scope, resource by resource. */
export const scopes: readonly Scope[] = scopeResources.flatMap(
  (resource) => [`${resource}:read`, `${resource}:write`] as const,
);

/** Returns whether scopes include one; `write` includes `read`. Pure. */
export const includesScope = (held: readonly Scope[], needed: Scope): boolean =>
  held.includes(needed) || held.some((scope) => scope === needed.replace(/:read$/, ':write'));

/** Named sets of scopes; `full` has no limit. */
export const scopeSets: Readonly<Record<'full' | 'read-only' | 'no-refunds', readonly Scope[] | null>> = {
  full: null,
  'read-only': scopes.filter((scope) => scope.endsWith(':read')),
  'no-refunds': scopes.filter((scope) => scope !== 'refunds:write'),
};
