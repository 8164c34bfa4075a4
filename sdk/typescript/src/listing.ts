import type { WithResponse } from './answer.ts';
import { List, Page, type PageMeta } from './page.ts';
import type { RequestOptions, Transport } from './transport.ts';

/** The first page of a list when it is awaited, and the whole list with `for await`. */
export type Listing<Item, Meta extends PageMeta> = List<Item, Meta>;

/** Reads a list. `query`: its filters, which hold for every page. */
export function listOf<Item, Meta extends PageMeta>(
  transport: Transport,
  call: { path: string; id?: string; query?: object | undefined; options?: RequestOptions | undefined },
): List<Item, Meta> {
  const read = async (query: object): Promise<WithResponse<Page<Item, Meta>>> => {
    const answer = await transport.send({ ...call, method: 'GET', query });
    const body = answer.data as { data: Item[]; meta: Meta };
    const next = async (position: object): Promise<Page<Item, Meta>> =>
      (await read({ ...query, ...position })).data;
    return { ...answer, data: new Page(body, next) };
  };
  return new List(read(call.query ?? {}));
}
