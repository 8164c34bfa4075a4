import { z } from 'zod';
import { choosePort } from './ports.ts';

/** Usual ports of the processes of a Temporal cluster, and of its two PostgreSQL servers. */
const USUAL = {
  frontendMembership: 6933,
  'history-1': { grpc: 7234, membership: 6934 },
  'history-2': { grpc: 7334, membership: 7034 },
  'matching-1': { grpc: 7235, membership: 6935 },
  'matching-2': { grpc: 7335, membership: 7035 },
  'worker-1': { grpc: 7239, membership: 6939 },
  postgresTemporal: 15_433,
  postgresVisibility: 15_434,
};

const port = z.number().int();
const hostSchema = z.object({ grpc: port, membership: port });

export const clusterPortsSchema = z.object({
  frontendMembership: port,
  'history-1': hostSchema,
  'history-2': hostSchema,
  'matching-1': hostSchema,
  'matching-2': hostSchema,
  'worker-1': hostSchema,
  postgresTemporal: port,
  postgresVisibility: port,
});

/** Ports of `npm start -- --temporal cluster`, beside those that every stack has. */
export type TemporalClusterPorts = z.infer<typeof clusterPortsSchema>;

/** Chooses the ports of a Temporal cluster, preferring those of an earlier start. */
export async function chooseClusterPorts(last: TemporalClusterPorts = USUAL): Promise<TemporalClusterPorts> {
  const free = async (wanted: number, usual: number): Promise<number> =>
    (await choosePort([...new Set([wanted, usual])])).port;
  const chosen: Record<string, unknown> = {};
  for (const name of clusterPortsSchema.keyof().options) {
    const [wanted, usual] = [last[name], USUAL[name]];
    chosen[name] =
      typeof wanted === 'number' || typeof usual === 'number'
        ? await free(Number(wanted), Number(usual))
        : {
            grpc: await free(wanted.grpc, usual.grpc),
            membership: await free(wanted.membership, usual.membership),
          };
  }
  return clusterPortsSchema.parse(chosen);
}
