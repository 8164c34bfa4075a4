import {
  condition,
  defineQuery,
  defineUpdate,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';

interface FloorActivities {
  echo(text: string): Promise<string>;
  pay(id: string): Promise<string>;
}

const timeout = { startToCloseTimeout: '10 seconds' } as const;
const remote = proxyActivities<FloorActivities>(timeout);
const local = proxyLocalActivities<FloorActivities>(timeout);

/** The smallest durable workflow: it answers, and lives for an hour. */
export async function floorWorkflow(): Promise<void> {
  setHandler(defineUpdate<string>('local'), () => local.echo('local'));
  setHandler(defineUpdate<string>('pay'), () => local.pay(workflowInfo().workflowId));
  setHandler(defineUpdate<string>('activity'), () => remote.echo('activity'));
  setHandler(defineQuery<string>('look'), () => 'open');
  await condition(() => false, '1 hour');
}
