import type { StackSession } from '../../local-stack/session.ts';
import { portOf, redirected } from './redirect.ts';
import { type Relay, openRelay } from './relay.ts';

/** The two processes of each relay, by the role that is cut off from a neighbor. */
export const links = {
  history: { from: 'temporal-history-1', to: 'postgres-temporal' },
  matching: { from: 'temporal-matching-1', to: 'postgres-temporal' },
  worker: { from: 'worker-1', to: 'temporal-frontend-1' },
  api: { from: 'api-2', to: 'postgres' },
  visibility: { from: 'temporal-history-1', to: 'postgres-visibility' },
  frontend: { from: 'api', to: 'temporal-frontend-1' },
} as const;

export type Role = keyof typeof links;

/** The relays of a drill, by role. */
export type Links = Record<Role, Relay>;

/**
 * Puts a relay on 127.0.0.1 between the two processes of each link, before they start. The relays pass
 * everything until their mode changes.
 */
export async function openLinks(session: StackSession): Promise<Links> {
  const { ports, supervisor } = session;
  const opened = await Promise.all(
    Object.entries(links).map(async ([role, { to }]) => {
      return [role, await openRelay(portOf(ports, to))] as const;
    }),
  );
  const relays = Object.fromEntries(opened) as Links;
  supervisor.amend = (program) => {
    for (const [role, { from, to }] of Object.entries(links)) {
      if (program.name === from) program = redirected(program, to, relays[role as Role].port);
    }
    return program;
  };
  return relays;
}

export async function closeLinks(relays: Links): Promise<void> {
  await Promise.all(Object.values(relays).map((relay) => relay.close()));
}
