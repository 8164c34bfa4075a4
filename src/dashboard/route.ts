import type { Permission } from '../domain/members.ts';
import type { Visit } from './visit.ts';

/** What the `:id` of a path names; it must be the visitor's own, in their environment. */
export type Owned =
  'payment' | 'refund' | 'dispute' | 'endpoint' | 'event' | 'key' | 'member' | 'session' | 'invitation';

/** A page or an action of the dashboard. The table of them is what the tests of isolation go through. */
export interface DashboardRoute {
  method: 'GET' | 'POST';
  /** Below `/dashboard/<environment>`. */
  path: string;
  permission: Permission;
  /** Whose the path's `:id` must be. */
  owns?: Owned;
  /** Whose the path's `:eventId` must be, where there is one. */
  ownsEvent?: boolean;
  /** Asks who it is, where the sign-in is not fresh. */
  fresh?: boolean;
  /** In sandbox only; elsewhere 404. */
  sandboxOnly?: boolean;
  /** Takes a file or long texts. */
  takesLong?: boolean;
  handle: (visit: Visit) => Promise<unknown>;
}
