import { spawnSync } from 'node:child_process';
import { chownSync } from 'node:fs';

/** PostgreSQL refuses uid 0; this number is `nobody` on practically every system and owns nothing else. */
const UNPRIVILEGED = 65_534;

/** Under whose identity PostgreSQL runs: our own, or an unprivileged one when we are root. */
export interface PostgresUser {
  /** Goes into spawn options. */
  identity: { uid?: number; gid?: number };
  /** Makes a path belong to that user. */
  own(path: string): void;
  /** True when the user can enter the directory and read in it. */
  reaches(directory: string): boolean;
}

export function postgresUser(): PostgresUser {
  if (process.getuid?.() !== 0) return { identity: {}, own: () => {}, reaches: () => true };
  const identity = { uid: UNPRIVILEGED, gid: UNPRIVILEGED };
  return {
    identity,
    own: (path) => chownSync(path, UNPRIVILEGED, UNPRIVILEGED),
    // Asked of the system rather than worked out from modes: access lists and mounts have a say too.
    reaches: (directory) =>
      spawnSync('/bin/sh', ['-c', 'test -x "$0/." && test -r "$0/."', directory], { ...identity, cwd: '/' })
        .status === 0,
  };
}
