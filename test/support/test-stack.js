/**
 * The servers of a run, from jest's global setup to its teardown: both run in the process that starts the
 * workers.
 * @typedef {object} TestStack
 * @property {string} directory
 * @property {import('../../local-stack/watchdog.ts').Watchdog} watchdog
 * @property {() => Promise<void>} stop
 */

/** @type {{ running: TestStack | null }} */
export const testStack = { running: null };
