import type { Command } from 'commander';
import { environments } from '../../domain/statuses.ts';
import { sealEvents, verifyEvents } from '../../webhooks/event-seals.ts';
import { problems } from '../problems.ts';
import { operate, type Operator, OperatorError, uuidFlag, withCommonFlags } from './operator.ts';

/** `event verify`: compares the events of a merchant with their seals. docs/webhooks.md. */
export function addEventVerify(event: Command): void {
  withCommonFlags(
    event.command('verify').requiredOption('--merchant <id>', 'merchant id', uuidFlag('--merchant')),
  ).action(async (flags: { merchant: string; dataDir: string }) =>
    operate(flags, async (operator) => ({
      merchantId: flags.merchant,
      valid: true,
      ...(await verifyLog(operator, flags.merchant)),
    })),
  );
}

/**
 * Seals the events that are not sealed yet, then verifies the events of a merchant in both environments.
 * Throws `OperatorError` with the first fault.
 */
async function verifyLog(deps: Operator, merchantId: string): Promise<{ events: number; seals: number }> {
  const total = { events: 0, seals: 0 };
  const eventsDays = deps.settings.RETENTION_EVENTS_DAYS;
  for (const environment of environments) {
    const tenant = { merchantId, environment };
    while ((await sealEvents(deps, tenant)) > 0);
    const { events, seals, wrong } = await verifyEvents({ ...deps, eventsDays }, tenant);
    if (wrong !== null) throw new OperatorError(problems.eventsChanged(environment, wrong));
    total.events += events;
    total.seals += seals;
  }
  return total;
}
