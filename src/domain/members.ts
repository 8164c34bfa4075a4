import { type Scope, scopes } from './scopes.ts';
import { isEmail } from './text.ts';

/** The roles of members of a merchant's dashboard. docs/dashboard.md, "Roles". */
export const roles = ['owner', 'developer', 'support', 'readOnly'] as const;
export type Role = (typeof roles)[number];

/** A user of the dashboard. */
export interface Member {
  id: string;
  merchantId: string;
  name: string;
  role: Role;
}

/**
 * What a page or an action of the dashboard requires of a role. `own`: the member's own account, for all
 * roles.
 */
export type Permission =
  | 'read'
  | 'own'
  | 'refund'
  | 'dispute'
  | 'links'
  | 'resend'
  | 'webhooks'
  | 'keys'
  | 'sandbox'
  | 'settings'
  | 'team'
  | 'audit';

const granted: Readonly<Record<Role, readonly Permission[]>> = {
  owner: [
    'read',
    'own',
    'refund',
    'dispute',
    'links',
    'resend',
    'webhooks',
    'keys',
    'sandbox',
    'settings',
    'team',
    'audit',
  ],
  developer: ['read', 'own', 'links', 'resend', 'webhooks', 'keys', 'sandbox', 'settings', 'audit'],
  support: ['read', 'own', 'refund', 'dispute', 'links', 'resend'],
  readOnly: ['read', 'own'],
};

/** Returns whether a role has a permission. */
export const may = (role: Role, permission: Permission): boolean => granted[role].includes(permission);

/** The permission that giving a scope requires. Scopes that are not listed require none. */
const permissionOf: Partial<Record<Scope, Permission>> = {
  'refunds:write': 'refund',
  'disputes:write': 'dispute',
};

/** Returns the scopes that a member may give a key: none that allows more than the role does. Null: all. */
export function grantableScopes(role: Role): readonly Scope[] | null {
  const held = scopes.filter((scope) => {
    const permission = permissionOf[scope];
    return permission === undefined || may(role, permission);
  });
  return held.length === scopes.length ? null : held;
}

/**
 * Returns the requested scopes that a key gets. Scopes that the member may not give are left out; a `write`
 * that they may not give becomes its `read`. Empty for a role that may not make keys. Pure.
 */
export function grantedScopes(role: Role, asked: readonly Scope[]): Scope[] {
  if (!may(role, 'keys')) return [];
  const grantable = grantableScopes(role) ?? scopes;
  const given = asked.map((scope) => (grantable.includes(scope) ? scope : scope.replace(/:write$/, ':read')));
  return scopes.filter((scope) => given.includes(scope) && grantable.includes(scope));
}

/** How long a sign-in permits important actions, in ms. Then members must confirm their identity. */
export const freshSignInMs = 10 * 60_000;
/** How long a browser stays signed in without use, in ms. */
export const idleSessionMs = 60 * 60_000;
/** How long a browser stays signed in at most, in ms. */
export const longestSessionMs = 12 * 3_600_000;
/** How long a sign-in link or an invitation can be used, in ms. */
export const linkMs = 24 * 3_600_000;
/** A refund of this amount or more requires the member to confirm their identity, in cents. */
export const largeRefundCents = 100_000;

/**
 * Returns an e-mail address in lower case, the form by which members are found. Null for a text that is no
 * address, or that has characters outside ASCII, because two of those may look the same.
 */
export function canonicalEmail(text: string): string | null {
  const trimmed = text.trim();
  return isEmail(trimmed) && /^[\x21-\x7e]+$/.test(trimmed) ? trimmed.toLowerCase() : null;
}
