import { setTimeout as sleep } from 'node:timers/promises';
import { failOver } from '../../../local-stack/standby.ts';
import { describePair, pairs } from './pairs.ts';
import type { ClusterFault, ClusterFaultKind } from './plan.ts';
import type { ClusterStack } from './stack.ts';

/** What a schedule's faults need. */
export interface Field {
  stack: ClusterStack;
  /** Records a line about what happened. */
  note: (line: string) => void;
  signal: AbortSignal;
}

/** Why a kind of fault cannot be made on this machine, by kind; a kind that can be made is absent. */
export function missingKinds({ disk, disturbed }: ClusterStack): Partial<Record<ClusterFaultKind, string>> {
  return {
    ...disturbed.missing,
    ...(disk === undefined && { 'full-disk': 'no file system can be mounted here' }),
  };
}

/** Makes one fault at its time and ends it. An aborted signal ends it early and rejects. */
export async function strike(fault: ClusterFault, field: Field): Promise<void> {
  const { note, signal } = field;
  await sleep(fault.atMs, undefined, { signal });
  if (fault.kind === 'failover') {
    note('the primary is killed, and its standby promoted');
    return failOver({ session: field.stack.session, signal });
  }
  const what = describe(fault);
  const end = begin(fault, field.stack);
  note(`${what}, for ${fault.forMs / 1000} s`);
  try {
    await sleep(fault.forMs, undefined, { signal });
  } finally {
    end();
    note(`over: ${what}`);
  }
}

type Lasting = Exclude<ClusterFault, { kind: 'failover' }>;

/** Begins a fault, and returns what ends it. */
function begin(fault: Lasting, stack: ClusterStack): () => void {
  const { disturbed, disk, relayOf } = stack;
  switch (fault.kind) {
    case 'partition': {
      const relay = relayOf(fault.pair);
      relay.be(fault.mode);
      return () => relay.be('pass');
    }
    case 'full-disk':
      disk?.fill();
      return () => disk?.free();
    case 'slow-disk':
      disturbed.slowDisk(fault.delayMs);
      return () => disturbed.slowDisk(0);
    case 'clock-step':
      disturbed.stepClock(fault.target, fault.stepSeconds);
      return () => disturbed.stepClock(fault.target, 0);
    case 'temporal-away': {
      const relays = pairs.filter(({ to }) => to === 'temporal-frontend-1').map((pair) => relayOf(pair));
      for (const relay of relays) relay.be('refuse');
      return () => {
        for (const relay of relays) relay.be('pass');
      };
    }
    case 'dns-away':
      for (const target of fault.targets) disturbed.loseNames(target, true);
      return () => {
        for (const target of fault.targets) disturbed.loseNames(target, false);
      };
  }
}

function describe(fault: Lasting): string {
  switch (fault.kind) {
    case 'partition':
      return `${describePair(fault.pair)} is cut off (${fault.mode})`;
    case 'full-disk':
      return 'the disk of PostgreSQL is full';
    case 'slow-disk':
      return `each sync of PostgreSQL takes ${fault.delayMs} ms longer`;
    case 'clock-step':
      return `the clock of ${fault.target} steps by ${fault.stepSeconds} s`;
    case 'temporal-away':
      return 'Temporal is away';
    case 'dns-away':
      return `${fault.targets.join(', ')} find no names`;
  }
}
