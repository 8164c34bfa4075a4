/** Two processes of a stack with a relay between them: the one that connects, and the one that accepts. */
export interface Pair {
  from: string;
  to: 'postgres' | 'temporal-frontend-1' | 'vault' | 'network' | 'postgres-temporal' | 'postgres-visibility';
}

const service = ['api', 'api-2', 'worker-1', 'worker-2'];
const hosts = ['temporal-history-1', 'temporal-history-2', 'temporal-matching-1', 'temporal-matching-2'];

/** Every pair that a partition can separate. */
export const pairs: readonly Pair[] = [
  ...service.flatMap((from) =>
    (['postgres', 'temporal-frontend-1', 'vault', 'network'] as const).map((to) => ({ from, to })),
  ),
  ...hosts.map((from) => ({ from, to: 'postgres-temporal' as const })),
  ...hosts.slice(0, 2).map((from) => ({ from, to: 'postgres-visibility' as const })),
];

export const describePair = ({ from, to }: Pair): string => `${from} from ${to}`;
