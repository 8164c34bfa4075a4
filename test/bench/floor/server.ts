/**
 * The floor's API process: bare Fastify over bare pg and a bare Temporal client. No keys, checks, limits,
 * encryption.
 */
import { Client, Connection } from '@temporalio/client';
import type { Duration } from '@temporalio/common';
import Fastify from 'fastify';
import pg from 'pg';
import { floorQueue } from './protocol.ts';

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });
pool.on('error', () => {});
const connection = await Connection.connect({ address: process.env['TEMPORAL_ADDRESS'] ?? '' });
const { workflow } = new Client({ connection });
const app = Fastify();

const insert = (id: string): Promise<unknown> =>
  pool.query({
    name: 'insert',
    text: 'INSERT INTO floor (id, data) VALUES ($1, $2)',
    values: [id, { amountCents: 2500, currency: 'USD', status: 'pending' }],
  });

app.post<{ Params: { id: string } }>('/row/:id', async ({ params: { id } }) => {
  await insert(id);
  return { id };
});
app.get<{ Params: { id: string } }>('/row/:id', async ({ params: { id } }) => {
  const { rows } = await pool.query({
    name: 'read',
    text: 'SELECT id, data FROM floor WHERE id = $1',
    values: [id],
  });
  return rows[0];
});
const begin = async (id: string, startDelay?: Duration): Promise<{ id: string }> => {
  await insert(id);
  await workflow.start('floorWorkflow', {
    workflowId: id,
    taskQueue: floorQueue,
    ...(startDelay === undefined ? {} : { startDelay }),
  });
  return { id };
};
app.post<{ Params: { id: string } }>('/start/:id', ({ params: { id } }) => begin(id));
app.post<{ Params: { id: string } }>('/start-later/:id', ({ params: { id } }) => begin(id, '1 hour'));
app.post<{ Params: { id: string; name: string } }>('/update/:name/:id', async ({ params }) => ({
  answer: await workflow.getHandle(params.id).executeUpdate(params.name),
}));
/** The order of a durable pay: the reservation is committed before Temporal is called. */
app.post<{ Params: { id: string } }>('/pay/:id', async ({ params: { id } }) => {
  await pool.query({ name: 'intend', text: 'INSERT INTO floor_intent (id) VALUES ($1)', values: [id] });
  return { answer: await workflow.getHandle(id).executeUpdate('pay') };
});
/** Stands in for the vault and the network of a bare pay: a call to another process at the lowest cost. */
app.post('/company', () => ({ status: 'ok' }));
app.get<{ Params: { id: string } }>('/query/:id', async ({ params: { id } }) => ({
  answer: await workflow.getHandle(id).query('look'),
}));

const end = (): void => process.exit(0);
process.once('SIGTERM', end);
process.once('disconnect', end);
await app.listen({ host: '127.0.0.1', port: Number(process.env['API_PORT']) });
process.send?.({ type: 'ready' });
