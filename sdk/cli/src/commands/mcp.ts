import type { Command } from 'commander';
import { type CommonFlags, contextOf, withTarget } from '../command.ts';
import { misused } from '../errors.ts';
import { readKeyScopes } from '../target.ts';

/** `mcp`: serves assistants the tools that the key allows, by the Model Context Protocol on stdio. */
export function addMcp(program: Command): void {
  withTarget(program.command('mcp'))
    .description('Serve an assistant (MCP on stdio) the tools that the scopes of the key allow.')
    .option('--live', 'accept a live key, or a key that may do everything')
    .action(serve);
}

async function serve(flags: CommonFlags & { live?: boolean }): Promise<void> {
  const { cp, target } = contextOf(flags);
  const advice = 'create a restricted sandbox key in the dashboard, or pass --live if you mean it.';
  if (flags.live !== true && target.environment === 'live') {
    throw misused(`This is a live key, which moves real money: ${advice}`);
  }
  const scopes = await readKeyScopes(target);
  if (flags.live !== true && scopes === 'full') throw misused(`This key may do everything: ${advice}`);
  // Loaded only here: it is the largest part of the package.
  const { serveMcp } = await import('../mcp/server.ts');
  await serveMcp({ cp, scopes, environment: target.environment });
}
