import type { Permission, Role } from '../../domain/members.ts';
import type { Environment } from '../../domain/statuses.ts';

/** The parts of the dashboard, in the order of the navigation. */
export const sections = [
  'home',
  'payments',
  'refunds',
  'disputes',
  'webhooks',
  'developers',
  'settings',
  'team',
] as const;
export type Section = (typeof sections)[number];

/** An act that its page asks about once more, and the id of what it is done to. */
export interface RequestedAction {
  act: string;
  id: string;
}

/** What every page of somebody who is signed in needs beside its own content. */
export interface Frame {
  /** Path of the dashboard in this environment, such as `/dashboard/sandbox`. */
  base: string;
  environment: Environment;
  merchantName: string;
  memberName: string;
  role: Role;
  may: (permission: Permission) => boolean;
  /** The value every form sends along. */
  csrf: string;
  nowMs: number;
  /** What the page is to ask about once more; null for nothing. */
  requested: RequestedAction | null;
}

/** A word about what was just done, or why it was not. */
export interface Notice {
  kind: 'good' | 'bad';
  text: string;
}
