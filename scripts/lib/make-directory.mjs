import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Creates a directory and its missing parents; does nothing when it exists. Throws the system's error when
 * one of them cannot be created or is a file. Used instead of `mkdirSync` with `recursive`, which never
 * returns for a path such as /proc/x, where the parent exists and every creation fails with ENOENT.
 * @param {string} path
 * @param {{ mode?: number }} [options] Mode of each directory that is created.
 */
export function makeDirectory(path, options = {}) {
  const missing = [];
  for (let at = resolve(path); !isDirectory(at) && at !== dirname(at); at = dirname(at)) missing.unshift(at);
  for (const directory of missing) makeOne(directory, options);
}

/**
 * @param {string} directory
 * @param {{ mode?: number }} options
 */
function makeOne(directory, options) {
  try {
    mkdirSync(directory, options);
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!isDirectory(directory)) throw error;
  }
}

/** @param {string} path */
function isDirectory(path) {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
