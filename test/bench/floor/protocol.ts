export const floorQueue = 'bench-floor';
/** A database of its own, so that the service's stays as its migrations made it. */
export const floorDatabase = 'bench_floor';

export const floorTables = `
  CREATE TABLE floor (id uuid PRIMARY KEY, data jsonb NOT NULL);
  CREATE TABLE floor_intent (id uuid PRIMARY KEY, sent_at timestamptz, answer text);
`;
