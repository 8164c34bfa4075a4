#!/usr/bin/env node
/**
 * `npx card-payments <command>` in a clone: builds what is missing, then runs the command of sdk/cli, which
 * merchants install as the package `card-payments`.
 */
process.argv = [process.execPath, process.argv[1] ?? '', 'sdk/cli/src/main.js', ...process.argv.slice(2)];
await import('../scripts/run.mjs');
