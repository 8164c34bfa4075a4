import { spawnSync } from 'node:child_process';
import { chownSync, statSync } from 'node:fs';

/** PostgreSQL refuses uid 0; this number is `nobody` on practically every system and owns nothing else. */
const UNPRIVILEGED = { uid: 65_534, gid: 65_534 };

/** Under whose identity PostgreSQL runs: our own, or an unprivileged one when we are root. */
export interface PostgresUser {
  /** Goes into spawn options. */
  identity: { uid?: number; gid?: number };
  /** Makes a path belong to that user. */
  own(path: string): void;
  /** True when the user can enter the directory and read in it. */
  reaches(directory: string): boolean;
}

/**
 * `cluster`: the data directory, which need not exist yet. One that an ordinary user made keeps its owner.
 */
export function postgresUser(cluster: string): PostgresUser {
  if (process.getuid?.() !== 0) return { identity: {}, own: () => {}, reaches: () => true };
  const owner = statSync(cluster, { throwIfNoEntry: false });
  const identity = owner === undefined || owner.uid === 0 ? UNPRIVILEGED : { uid: owner.uid, gid: owner.gid };
  return {
    identity,
    own: (path) => chownSync(path, identity.uid, identity.gid),
    // Asked of the system rather than worked out from modes: access lists and mounts have a say too.
    reaches: (directory) =>
      spawnSync('/bin/sh', ['-c', 'test -x "$0/." && test -r "$0/."', directory], { ...identity, cwd: '/' })
        .status === 0,
  };
}
