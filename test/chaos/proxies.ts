import { localUrl } from '../../local-stack/services.ts';
import type { FaultInjector } from './faults.ts';
import { startHttpProxy } from './http-proxy.ts';
import {
  type Classify,
  callbackNames,
  networkNames,
  pciVaultNames,
  serviceNames,
  stripeNames,
  vaultNames,
} from './names.ts';
import type { Hop } from './plan.ts';
import type { ChaosPorts } from './ports.ts';
import type { NetworkKind } from './programs.ts';

/** Starts a proxy on every hop that speaks HTTP; `onStarted` receives a function that closes each. */
export async function startHttpProxies(
  ports: ChaosPorts,
  network: NetworkKind,
  faults: FaultInjector,
  onStarted: (close: () => Promise<void>) => void,
): Promise<void> {
  let callbacks = 0;
  const hops: { hop: Hop; port: number; target: () => string; classify: Classify }[] = [
    { hop: 'api', port: ports.api1Proxy, target: () => localUrl(ports.api1), classify: serviceNames },
    { hop: 'api', port: ports.api2Proxy, target: () => localUrl(ports.api2), classify: serviceNames },
    {
      hop: 'vault',
      port: ports.vaultProxy,
      target: () => localUrl(ports.vault),
      classify: network === 'stripe' ? pciVaultNames : vaultNames,
    },
    {
      hop: 'network',
      port: ports.networkProxy,
      target: () => localUrl(ports.network),
      classify: network === 'stripe' ? stripeNames : networkNames,
    },
    {
      hop: 'callback',
      port: ports.callbackProxy,
      // The two APIs in turn.
      target: () => localUrl((callbacks += 1) % 2 ? ports.api1 : ports.api2),
      classify: callbackNames,
    },
  ];
  for (const each of hops) {
    onStarted(
      await startHttpProxy({
        ...each,
        reach: (point) => faults.reach(point),
        fault: (hop, name) => faults.faultFor(hop, name),
      }),
    );
  }
}
