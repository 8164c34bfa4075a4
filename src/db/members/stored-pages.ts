import type { Database, Queryable } from '../server/database.ts';

/**
 * `form`: a form that waits until its member has confirmed their identity. `answer`: the page that answered a
 * form.
 */
export type StoredPageKind = 'form' | 'answer';

/** The maximum number that a member has of each kind; beyond it the oldest is dropped. */
const maxStored = { form: 3, answer: 12 } as const satisfies Record<StoredPageKind, number>;

/** How long one is stored, in seconds. */
const storedSeconds = 3_600;

/** Stores the content for the member, and deletes expired and excess entries. */
export async function storePage(
  database: Database,
  memberId: string,
  page: { id: string; kind: StoredPageKind; sealed: Buffer },
): Promise<void> {
  await database.query(
    `WITH dropped AS (
       DELETE FROM member_kept_pages WHERE member_id = $1 AND (
         created_at < now() - interval '1 second' * ${storedSeconds} OR id IN (
           SELECT id FROM member_kept_pages WHERE member_id = $1 AND kind = $3
           ORDER BY created_at DESC OFFSET ${maxStored[page.kind] - 1}))
     )
     INSERT INTO member_kept_pages (id, member_id, kind, content_sealed) VALUES ($2, $1, $3, $4)`,
    [memberId, page.id, page.kind, page.sealed],
  );
}

/** Returns the sealed page that answered a form of the member; null if there is none. */
export async function findStoredAnswer(
  database: Queryable,
  memberId: string,
  id: string,
): Promise<Buffer | null> {
  const { rows } = await database.query<{ sealed: Buffer }>(
    `SELECT content_sealed AS sealed FROM member_kept_pages
     WHERE id = $1 AND member_id = $2 AND kind = 'answer' AND created_at >= now() - interval '1 second' * ${storedSeconds}`,
    [id, memberId],
  );
  return rows[0]?.sealed ?? null;
}

/** Removes a stored form of the member and returns it sealed, to one caller only; null if there is none. */
export async function takeStoredForm(
  database: Queryable,
  memberId: string,
  id: string,
): Promise<Buffer | null> {
  const { rows } = await database.query<{ sealed: Buffer }>(
    `DELETE FROM member_kept_pages
     WHERE id = $1 AND member_id = $2 AND kind = 'form' AND created_at >= now() - interval '1 second' * ${storedSeconds}
     RETURNING content_sealed AS sealed`,
    [id, memberId],
  );
  return rows[0]?.sealed ?? null;
}
