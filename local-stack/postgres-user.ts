import { spawnSync } from 'node:child_process';
import { chownSync, statSync } from 'node:fs';

/** PostgreSQL refuses uid 0. On nearly every system this uid is unprivileged and owns nothing else. */
const UNPRIVILEGED = { uid: 65_534, gid: 65_534 };

/** The user that PostgreSQL runs as: ours, or an unprivileged one when we are root. */
export interface PostgresUser {
  /** For the options of spawn. */
  identity: { uid?: number; gid?: number };
  /** Changes the owner of a path to that user. */
  own(path: string): void;
  /** Returns whether the user can enter and read the directory. */
  reaches(directory: string): boolean;
}

/**
 * Returns the user for `cluster`, a data directory that may not exist yet; an existing one keeps its owner.
 */
export function postgresUser(cluster: string): PostgresUser {
  if (process.getuid?.() !== 0) return { identity: {}, own: () => {}, reaches: () => true };
  const owner = statSync(cluster, { throwIfNoEntry: false });
  const identity = owner === undefined || owner.uid === 0 ? UNPRIVILEGED : { uid: owner.uid, gid: owner.gid };
  return {
    identity,
    own: (path) => chownSync(path, identity.uid, identity.gid),
    // The system decides: access lists and mounts matter as well as modes.
    reaches: (directory) =>
      spawnSync('/bin/sh', ['-c', 'test -x "$0/." && test -r "$0/."', directory], { ...identity, cwd: '/' })
        .status === 0,
  };
}
