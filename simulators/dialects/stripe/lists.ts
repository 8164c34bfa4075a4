import type { z } from 'zod';
import type { Caller } from './auth.ts';
import { badParameter } from './errors.ts';
import type { listParameters } from './parameters.ts';
import { type ApiObject, listView, seconds } from './views.ts';

type ListParameters = z.infer<z.ZodObject<typeof listParameters>>;

interface Listed extends Caller {
  id: string;
  createdAt: number;
}

/** Returns one page of a caller's objects, newest first, as Stripe pages: after or before an object's id. */
export function pageOf<Doc extends Listed>(
  url: string,
  caller: Caller,
  docs: readonly Doc[],
  parameters: ListParameters,
  show: (doc: Doc) => ApiObject,
): ApiObject {
  const own = docs
    .filter(
      (doc) =>
        doc.accountId === caller.accountId &&
        doc.live === caller.live &&
        isCreatedWithin(doc, parameters.created),
    )
    .toReversed();
  const { limit, starting_after: after, ending_before: before } = parameters;
  if (before !== undefined) {
    const end = placeOf(own, before, 'ending_before');
    const start = Math.max(0, end - limit);
    return listView(url, own.slice(start, end).map(show), start > 0);
  }
  const start = after === undefined ? 0 : placeOf(own, after, 'starting_after') + 1;
  return listView(url, own.slice(start, start + limit).map(show), own.length > start + limit);
}

function placeOf(docs: readonly Listed[], id: string, param: string): number {
  const at = docs.findIndex((doc) => doc.id === id);
  if (at === -1) throw badParameter(param, `No such object: '${id.slice(0, 66)}'`, 'resource_missing');
  return at;
}

function isCreatedWithin({ createdAt }: Listed, created: ListParameters['created']): boolean {
  const at = seconds(createdAt);
  if (created === undefined) return true;
  if (typeof created === 'number') return at === created;
  return (
    at > (created.gt ?? -Infinity) &&
    at >= (created.gte ?? -Infinity) &&
    at < (created.lt ?? Infinity) &&
    at <= (created.lte ?? Infinity)
  );
}
