import type { Permission, Role } from '../../domain/members.ts';
import type { Environment } from '../../domain/statuses.ts';

/** The sections of the dashboard, in the order of the navigation. */
export const sections = [
  'home',
  'payments',
  'refunds',
  'disputes',
  'reports',
  'webhooks',
  'developers',
  'settings',
  'team',
] as const;
export type Section = (typeof sections)[number];

/** An action to confirm, and the id of its object. */
export interface RequestedAction {
  act: string;
  id: string;
}

/** The facts that every page of a signed-in member needs beside its own content. */
export interface Frame {
  /** Path of the dashboard in this environment, such as `/dashboard/sandbox`. */
  base: string;
  environment: Environment;
  merchantName: string;
  memberName: string;
  role: Role;
  may: (permission: Permission) => boolean;
  /** The CSRF token that every form sends. */
  csrf: string;
  nowMs: number;
  /** IANA name of the zone in which times are shown and days begin. */
  timeZone: string;
  /** Names of the members as whom a stranger tries to sign in; null if there are none. */
  attacked: string | null;
  /** The action that the page must ask to confirm; null for none. */
  requested: RequestedAction | null;
  /** For how long the last confirmation of the member's identity is recent, in ms. */
  freshForMs: number;
  /** The form that the page rejects; null for none. */
  rejected: RejectedForm | null;
}

/** A rejected form: the path to which it was posted, and what was typed. */
export interface RejectedForm {
  path: string;
  typed: URLSearchParams;
}

/** The result of a form: success or the reason for its rejection. */
export interface Notice {
  kind: 'good' | 'bad';
  text: string;
  /** The id of the form field that is at fault. */
  field?: string;
}

/** Links of a page of a list, and the range of rows that it shows; null if there is none. */
export interface ListPages {
  before: string | null;
  after: string | null;
  shown: string | null;
}

/** Links of a list that is read by cursor: to its first page and to the next one; null if there is none. */
export interface CursorPages {
  first: string | null;
  next: string | null;
}
