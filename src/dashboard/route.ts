import type { Permission } from '../domain/members.ts';
import type { Visit } from './visit.ts';

/** The kind of object that the `:id` of a path names; it must be the visitor's own, in their environment. */
export type Owned =
  | 'payment'
  | 'refund'
  | 'dispute'
  | 'link'
  | 'endpoint'
  | 'event'
  | 'key'
  | 'member'
  | 'session'
  | 'invitation';

/** A page or an action of the dashboard. The tests of isolation go through the table of all routes. */
export interface DashboardRoute {
  method: 'GET' | 'POST';
  /** The path below `/dashboard/<environment>`. */
  path: string;
  permission: Permission;
  /** The kind of the path's `:id`, which must be the visitor's own. */
  owns?: Owned;
  /** Whether the path has an `:eventId`, which must be the visitor's own. */
  ownsEvent?: boolean;
  /** Whether the member must confirm their identity, unless they did so recently. */
  fresh?: boolean;
  /**
   * Whether a form of this route will need a recent confirmation because of what it holds. Only the script
   * asks this, before it sends the form; the handler decides.
   */
  mayNeedConfirmation?: (visit: Visit) => Promise<boolean>;
  /** Whether its form holds a secret. Such a form is not stored while the member confirms their identity. */
  isSecret?: boolean;
  /** Whether it exists in sandbox only; elsewhere it is 404. */
  sandboxOnly?: boolean;
  /** Whether it accepts a small file or long texts. */
  takesLong?: boolean;
  /** Whether it accepts a file of 2 MB. */
  takesFile?: boolean;
  handle: (visit: Visit) => Promise<unknown>;
}
