import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Problem } from '../../scripts/lib/problem.mjs';
import { projectRoot } from '../support/harness/project-root.ts';

const GIT_MS = 60_000;
const INSTALL_MS = 10 * 60_000;
const BUILD_MS = 5 * 60_000;

/** A released version, and the commit that made it. */
export interface PublishedVersion {
  version: string;
  commit: string;
}

/**
 * Returns the released versions, oldest first: the commits `release: X.Y.Z` of the history. Throws Problem
 * when there is no git, no history, or one that begins after the first release.
 */
export function releasedVersions(): PublishedVersion[] {
  const shallow = run('git', ['rev-parse', '--is-shallow-repository']);
  if (shallow.status !== 0) {
    throw new Problem('the releases are read from the history, and this is no clone with git: clone it');
  }
  const { stdout } = run('git', ['log', '--reverse', '--format=%H %s', '--grep=^release: ']);
  const found = stdout.split('\n').flatMap((line) => {
    const [, commit, version] = /^([0-9a-f]{40}) release: (\d+\.\d+\.\d+)$/.exec(line) ?? [];
    return commit === undefined || version === undefined ? [] : [{ commit, version }];
  });
  if (shallow.stdout.trim() === 'true') {
    throw new Problem('this clone is shallow and lacks releases: run git fetch --unshallow, and start again');
  }
  if (found.length === 0) throw new Problem('the history has no commit "release: X.Y.Z"');
  return found;
}

/**
 * Returns a directory with the sources of a release, installed and built; kept in `.cache/releases` for the
 * next time. Throws Problem when npm or the build fails.
 */
export function releaseCheckout(release: PublishedVersion, logLine: (line: string) => void): string {
  const directory = join(projectRoot, '.cache', 'releases', release.commit.slice(0, 12));
  if (existsSync(directory)) return directory;
  const scratch = `${directory}.new`;
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  logLine(`… ${release.version}: sources, dependencies and build, once`);
  const archive = join(scratch, 'sources.tar');
  must(run('git', ['archive', '--format=tar', `--output=${archive}`, release.commit]), 'git archive');
  must(run('tar', ['-xf', archive, '-C', scratch]), 'tar');
  rmSync(archive);
  const lock = (of: string): string => readFileSync(join(of, 'package-lock.json'), 'utf8');
  if (lock(scratch) === lock(projectRoot)) {
    symlinkSync(join(projectRoot, 'node_modules'), join(scratch, 'node_modules'));
  } else {
    const flags = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
    must(run('npm', flags, { cwd: scratch, timeout: INSTALL_MS }), 'npm ci');
  }
  must(run('npm', ['run', '--silent', 'build'], { cwd: scratch, timeout: BUILD_MS }), 'npm run build');
  renameSync(scratch, directory);
  return directory;
}

function run(command: string, args: string[], { cwd = projectRoot, timeout = GIT_MS } = {}) {
  return spawnSync(command, args, { cwd, timeout, encoding: 'utf8', maxBuffer: 2 ** 26 });
}

function must({ status, stderr, error }: ReturnType<typeof run>, what: string): void {
  if (status === 0) return;
  const line = (stderr ?? '').trim().split('\n').at(-1) ?? '';
  throw new Problem(`${what} failed for a release: ${error?.message ?? line}`);
}
