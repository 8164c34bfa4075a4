import { statfs } from 'node:fs/promises';
import { type Check, runCheck } from './check.ts';

/** Free space below which databases and logs soon fail, in bytes. */
const minFreeBytes = 1024 ** 3;

/** Returns the check of free disk space under a directory. */
export const checkDisk = (directory: string): Promise<Check> =>
  runCheck(
    'disk',
    async () => {
      const { bavail, bsize } = await statfs(directory);
      if (bavail * bsize >= minFreeBytes) return null;
      const mebibytes = Math.floor((bavail * bsize) / 1024 ** 2);
      return `${directory} has ${mebibytes} MiB left: free at least 1 GiB`;
    },
    (reason) => `${directory} cannot be read (${reason}): name an existing directory by --data-dir`,
  );
