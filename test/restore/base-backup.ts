import { spawnSync } from 'node:child_process';
import { appendFileSync, chownSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';

/** Where PostgreSQL archives its log: in its own directory, the only one that its user can surely enter. */
const archive = 'archive';

/** Lets a stopped cluster archive its log from its next start on. */
export function archiveLog(cluster: string): void {
  makeOwned(cluster, join(cluster, archive));
  setting(cluster, 'archive_mode', 'on');
  setting(cluster, 'archive_command', `test ! -f ${archive}/%f && cp %p ${archive}/%f`);
}

/** Copies the directory of a running cluster to `to`, as PostgreSQL's documentation of a base backup says. */
export async function backUpRunning(cluster: string, to: string, databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('drill', fast => true)");
    const { stderr } = spawnSync('cp', ['-a', cluster, to], { encoding: 'utf8' });
    const faults = stderr.split('\n').filter((line) => line !== '' && !line.includes('No such file'));
    if (faults.length > 0) throw new Error(`the directory was not copied: ${faults.join('; ')}`);
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop()');
    for (const name of ['postmaster.pid', 'postmaster.opts', 'pg_wal', archive])
      rmSync(join(to, name), { recursive: true, force: true });
    makeOwned(to, join(to, 'pg_wal'));
    writeOwned(to, join(to, 'backup_label'), rows[0]?.labelfile ?? '');
  } finally {
    await client.end();
  }
}

/**
 * Puts a base backup in the place of a stopped cluster, which at its next start recovers up to an instant.
 */
export function restoreTo(cluster: string, backup: string, target: Date): void {
  const damaged = `${cluster}-damaged`;
  renameSync(cluster, damaged);
  renameSync(backup, cluster);
  renameSync(join(damaged, archive), join(cluster, archive));
  setting(cluster, 'restore_command', `cp ${archive}/%f %p`);
  // PostgreSQL refuses the letters of the ISO form here.
  setting(cluster, 'recovery_target_time', target.toISOString().replace('T', ' ').replace('Z', '+00'));
  setting(cluster, 'recovery_target_action', 'promote');
  writeOwned(cluster, join(cluster, 'recovery.signal'), '');
}

const setting = (cluster: string, name: string, value: string): void =>
  appendFileSync(join(cluster, 'postgresql.auto.conf'), `${name} = '${value}'\n`);

function makeOwned(cluster: string, directory: string): void {
  const { uid, gid } = statSync(join(cluster, 'PG_VERSION'));
  mkdirSync(directory, { mode: 0o700 });
  chownSync(directory, uid, gid);
}

function writeOwned(cluster: string, file: string, text: string): void {
  const { uid, gid } = statSync(join(cluster, 'PG_VERSION'));
  writeFileSync(file, text, { mode: 0o600 });
  chownSync(file, uid, gid);
}
