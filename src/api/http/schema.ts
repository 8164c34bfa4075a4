import * as z from 'zod';
import { text } from './fields.ts';
import { maxUriLength } from '../../domain/urls.ts';

/*
 * Parts of answers. They are checked when an answer is serialized. A violation is a defect of the service, so
 * they hold only bounds and shapes, and no rule that depends on the deployment.
 */

export const examplePaymentId = '01931c5e-8a6f-7b3c-9d41-2f6e5a7c8b90';

/** A UUID, lower-case. AMB-41. */
export const uuid = () => z.uuid().meta({ examples: [examplePaymentId] });

/** An instant in UTC with milliseconds and `Z`. AMB-41. */
export const dateTime = () =>
  z.iso.datetime({ precision: 3 }).meta({ examples: ['2026-03-01T12:00:00.000Z'] });

/** Spec: Resources > URL format. */
export const uri = () => z.string().min(1).max(maxUriLength).meta({ format: 'uri' });

/** An amount in integer US cents. */
export const cents = (min: number) => z.int().min(min).max(100_000_000);

/** A string of `min` to `max` code points, or null. */
export const nullableText = (min: number, max: number) => text(min, max).nullable();

/** `{data: …}`, the wrapper of every success answer. Spec: Endpoints. */
export const dataOf = <Data extends z.ZodType>(data: Data) => z.strictObject({ data });

/** Paging of a list answer. Spec: GET /v1/payments. */
export const ListMeta = z
  .strictObject({
    page: z.int().min(1),
    perPage: z.int().min(1).max(100),
    total: z.int().min(0).meta({ description: 'All matches of the filters, not only those of this page.' }),
  })
  .meta({
    id: 'ListMeta',
    description: 'The position of this page in the list.',
    examples: [{ page: 1, perPage: 20, total: 1 }],
  });
export type ListMeta = z.infer<typeof ListMeta>;

/** `{data: […], meta}`, the wrapper of every list answer. Spec: GET /v1/payments. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({ data: z.array(item).max(100), meta: ListMeta });

/** Paging of a list that is read by cursor. docs/merchants.md, "Lists". */
const CursorMeta = z
  .strictObject({ nextCursor: z.string().meta({ description: 'Null on the last page.' }).nullable() })
  .meta({ id: 'CursorMeta', description: 'Where the next page of the list begins.' });

/** `{data: […], meta}`, the wrapper of every list that is read by cursor. docs/merchants.md, "Lists". */
export const cursorListOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({
    data: z.array(item).max(100),
    meta: CursorMeta,
  });
