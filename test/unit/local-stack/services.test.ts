import { type Addresses, serviceEnvironment } from '../../../local-stack/services.ts';
import type { StackPorts } from '../../../local-stack/stack-ports.ts';

const secrets = { live: {} } as Parameters<typeof serviceEnvironment>[2];
const addresses = (isDevServer: boolean): Addresses => ({
  databaseUrl: 'postgres://127.0.0.1/card_payments',
  temporalAddress: '127.0.0.1:7233',
  temporalNamespace: 'default',
  temporalUiUrl: null,
  isDevServer,
});
const polls = (user: NodeJS.ProcessEnv, isDevServer: boolean): string | undefined =>
  serviceEnvironment(user, {} as StackPorts, secrets, addresses(isDevServer))['WORKFLOW_POLLS'];

describe('the environment of the service', () => {
  it('has more polls on the dev server, which holds a task back that finds no open poll', () => {
    expect(Number(polls({}, true))).toBeGreaterThan(10);
    expect(polls({}, false)).toBeUndefined();
  });

  it('has as many polls as the user sets', () => {
    expect(polls({ WORKFLOW_POLLS: '7' }, true)).toBe('7');
    expect(polls({ WORKFLOW_POLLS: '7' }, false)).toBe('7');
  });
});
