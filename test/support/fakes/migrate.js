/** Writes one row, so that a test can see whether a restart kept the data. */
import { Client } from 'pg';

const client = new Client({ connectionString: process.env.DATABASE_URL });
await client.connect();
await client.query('create table if not exists starts (at timestamptz default now())');
await client.query('insert into starts default values');
await client.end();
