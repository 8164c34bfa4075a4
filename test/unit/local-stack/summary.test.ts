import { resolve } from 'node:path';
import { dataDirAt } from '../../../local-stack/data-dir.ts';
import { summary } from '../../../local-stack/summary.ts';

const stack = {
  baseUrl: 'http://127.0.0.1:4700',
  vaultUrl: 'http://127.0.0.1:4010',
  networkUrl: 'http://127.0.0.1:4020',
  temporalUiUrl: null,
  merchantId: 'merchant-1',
  sandboxApiKey: 'cps_sandbox_key',
  demoPaymentId: 'payment-1',
  dashboardUrl: 'http://localhost:4700/dashboard/link',
};

/** Returns the printed commands that read the stack's data directory. */
const commands = (dataDir: string): string[] =>
  summary(stack, dataDirAt(dataDir)).flatMap((line) => /(?:npm run|npx) [^)]*/.exec(line) ?? []);

describe('the commands that npm start prints', () => {
  it('carry no --data-dir when the stack keeps its data in .local', () => {
    expect(commands(resolve('.local'))).toEqual([
      'npm run --silent admin -- dashboard link --merchant merchant-1',
      'npm run --silent admin -- payment list --merchant merchant-1 --environment sandbox',
      'npm run --silent admin -- payment timeline --payment payment-1',
      'npx card-payments listen --forward-to http://127.0.0.1:4242/webhook',
    ]);
  });

  it.each([
    ['/var/tmp/stack-2', '/var/tmp/stack-2'],
    ['/tmp/my stack', "'/tmp/my stack'"],
    ["/tmp/o'neil", "'/tmp/o'\\''neil'"],
  ])('each carry --data-dir for a stack in %s', (dataDir, argument) => {
    const printed = commands(dataDir);
    expect(printed).toHaveLength(4);
    for (const command of printed) expect(command).toMatch(/ --data-dir /);
    for (const command of printed) expect(command.endsWith(` --data-dir ${argument}`)).toBe(true);
  });

  it('name the API by the port of this start', () => {
    const text = summary(stack, dataDirAt('/tmp/stack')).join('\n');
    expect(text).toContain('curl -s http://127.0.0.1:4700/v1/payments');
  });
});
