import { Answer } from './answer.ts';

/** The position of a page in its list, which is read by page number or by cursor. */
export type PageMeta = { page: number; perPage: number; total: number } | { nextCursor: string | null };

/** One page of a list. Iterating over it continues with the pages after it. */
export class Page<Item, Meta extends PageMeta = PageMeta> implements AsyncIterable<Item> {
  readonly data: Item[];
  readonly meta: Meta;
  readonly #load: (position: Record<string, unknown>) => Promise<Page<Item, Meta>>;

  constructor(
    body: { data: Item[]; meta: Meta },
    load: (position: Record<string, unknown>) => Promise<Page<Item, Meta>>,
  ) {
    this.data = body.data;
    this.meta = body.meta;
    this.#load = load;
  }

  /** Whether there is a page after this one. */
  get hasNextPage(): boolean {
    return this.#nextPosition() !== null;
  }

  /** Returns the page after this one; null after the last. */
  async nextPage(): Promise<Page<Item, Meta> | null> {
    const position = this.#nextPosition();
    return position === null ? null : this.#load(position);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    yield* this.data;
    for (let page = await this.nextPage(); page !== null; page = await page.nextPage()) yield* page.data;
  }

  #nextPosition(): Record<string, unknown> | null {
    const { meta } = this;
    if ('nextCursor' in meta) return meta.nextCursor === null ? null : { cursor: meta.nextCursor };
    const isLast = this.data.length === 0 || meta.page * meta.perPage >= meta.total;
    return isLast ? null : { page: meta.page + 1 };
  }
}

/** The first page of a list, and with `for await` the whole list. */
export class List<Item, Meta extends PageMeta = PageMeta>
  extends Answer<Page<Item, Meta>>
  implements AsyncIterable<Item>
{
  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    yield* await this;
  }
}
