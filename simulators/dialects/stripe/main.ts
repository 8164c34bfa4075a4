import { dieOnBrokenJournal, runProcess, stdoutLog } from '../../process.ts';
import { settingsReader } from '../../settings.ts';
import { buildStripe, type StripeOptions } from './stripe.ts';

const log = stdoutLog('stripe');

/** The process of the Stripe dialect; its settings are the `STRIPE_SIM_*` variables (docs/simulators.md). */
await runProcess(log, async () => {
  const stripe = await buildStripe(readOptions(process.env));
  return { url: await stripe.listen(), close: () => stripe.close() };
});

function readOptions(env: NodeJS.ProcessEnv): StripeOptions {
  const read = settingsReader('STRIPE_SIM_', env);
  return {
    dataDir: read.text('DATA_DIR'),
    proxyKey: read.secret('PROXY_KEY'),
    checkoutMs: read.seconds('CHECKOUT_SECONDS', 1_800) * 1_000,
    host: read.text('HOST', '127.0.0.1'),
    port: read.port('PORT'),
    publicUrl: read.url('PUBLIC_URL'),
    log,
    onBroken: dieOnBrokenJournal,
  };
}
