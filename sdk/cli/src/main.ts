#!/usr/bin/env node
import { CommanderError } from 'commander';
import { describeFailure } from './errors.ts';
import { createProgram } from './program.ts';

/** `card-payments <command>`: tools for a merchant's developers. docs/cli.md. */
try {
  await createProgram().parseAsync();
} catch (error) {
  // The help that the user requested is not an error.
  if (!(error instanceof CommanderError && error.exitCode === 0)) {
    const { line, exitCode } = describeFailure(error);
    process.stderr.write(`${line}\n`);
    process.exitCode = exitCode;
  }
}
