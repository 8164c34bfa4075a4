import { Client } from 'pg';

const admin = process.env['TEST_DATABASE_ADMIN_URL'] ?? '';

async function query<Row>(sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: admin });
  await client.connect();
  try {
    const { rows } = await client.query(sql);
    return rows;
  } finally {
    await client.end();
  }
}

describe('the servers of the stack project', () => {
  it('let several tests copy the template database at once', async () => {
    const template = process.env['TEST_DATABASE_TEMPLATE'];
    const names = ['copy_one', 'copy_two'];
    await Promise.all(names.map((name) => query(`create database ${name} template ${template}`)));
    const copies = await query<{ datname: string }>(
      `select datname from pg_database where datname like 'copy\\_%' order by 1`,
    );
    expect(copies.map(({ datname }) => datname)).toEqual(names);
    await Promise.all(names.map((name) => query(`drop database ${name}`)));
  });
});
