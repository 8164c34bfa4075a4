/**
 * The servers of a run, shared by jest's global setup and teardown, which both run in the process that starts
 * the workers.
 * @typedef {object} TestStack
 * @property {string} directory
 * @property {import('../../local-stack/watchdog.ts').Watchdog} watchdog
 * @property {() => Promise<void>} stop
 */

/** @type {{ running: TestStack | null }} */
export const testStack = { running: null };
