import type { ApiRequest, CardPayments } from '../../../typescript/src/index.ts';
import { untilAnswered } from './until-answered.ts';

const callTimeoutMs = 10_000;
/**
 * A call is listed after its answer was stored, so a slow one appears under an older id than quicker ones.
 */
const lateMs = 60_000;
const perPage = 100;
/** The most pages of one poll. With more calls than that, late ones are missed. */
const maxPages = 10;

/** The account's log of API calls. */
export interface RequestLog {
  /** Returns the calls that were not returned before, in the order of their answers. */
  unseen(): Promise<ApiRequest[]>;
}

/** Returns when a call was answered, in ms. */
const answeredMs = ({ at, durationMs }: ApiRequest): number => Date.parse(at) + durationMs;

export function createRequestLog({ cp, signal }: { cp: CardPayments; signal: AbortSignal }): RequestLog {
  const seen = new Map<string, number>();

  const readPage = (cursor: string | null) =>
    untilAnswered(signal, () =>
      cp.requests.list(
        { limit: perPage, ...(cursor === null ? {} : { cursor }) },
        { signal, timeoutMs: callTimeoutMs, maxRetries: 0 },
      ),
    );

  const readRecent = async (): Promise<ApiRequest[]> => {
    const recent: ApiRequest[] = [];
    let cursor: string | null = null;
    for (let page = 0; page < maxPages; page += 1) {
      const { data, meta }: Awaited<ReturnType<typeof readPage>> = await readPage(cursor);
      recent.push(...data);
      const [newest] = recent;
      const last = data.at(-1);
      const isLate = newest && last && Date.parse(last.at) < Date.parse(newest.at) - lateMs;
      if (meta.nextCursor === null || isLate) break;
      cursor = meta.nextCursor;
    }
    return recent;
  };

  return {
    async unseen() {
      const recent = await readRecent();
      const unseen = recent.filter(({ id }) => !seen.has(id));
      for (const request of unseen) seen.set(request.id, Date.parse(request.at));
      // Ids older than the pages that are read again can be forgotten.
      const oldest = Date.parse(recent.at(-1)?.at ?? '');
      for (const [id, at] of seen) if (at < oldest) seen.delete(id);
      return unseen.toSorted((a, b) => answeredMs(a) - answeredMs(b));
    },
  };
}
