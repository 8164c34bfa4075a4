import { choosePort } from '../../local-stack/ports.ts';

export type ChaosPorts = Awaited<ReturnType<typeof chooseChaosPorts>>;

/** Chooses a free port for every server. */
export async function chooseChaosPorts() {
  // Two runs that start together search different ranges. They are above the ports of tests, and below the
  // range of outgoing connections, where a free port may be taken a moment later.
  let from = 25_000 + (process.pid % 100) * 45;
  const next = async (): Promise<number> => {
    const { port } = await choosePort([from]);
    from = port + 1;
    return port;
  };
  return {
    postgres: await next(),
    postgresProxy: await next(),
    temporal: await next(),
    temporalHttp: await next(),
    vault: await next(),
    vaultProxy: await next(),
    network: await next(),
    networkProxy: await next(),
    api1: await next(),
    api2: await next(),
    api1Proxy: await next(),
    api2Proxy: await next(),
    callbackProxy: await next(),
    receiver: await next(),
    /** The simulators beside the Stripe pair. */
    simulatedVault: await next(),
    simulatedNetwork: await next(),
  };
}
