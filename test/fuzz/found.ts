/** A form of a page with the fields that a browser would send unchanged. */
export interface FoundForm {
  /** The path that the form is sent to. */
  action: string;
  fields: [name: string, value: string][];
}

/** The most forms and links that one visitor remembers. */
const maxItems = 400;

/** The forms and links on the pages that a visitor has seen: the newest of each kind. */
export class Found {
  readonly #forms = new Map<string, FoundForm>();
  readonly #links = new Map<string, string>();

  constructor(links: readonly string[] = []) {
    for (const link of links) this.addLink(link);
  }

  get forms(): FoundForm[] {
    return [...this.#forms.values()];
  }

  get links(): string[] {
    return [...this.#links.values()];
  }

  addLink(link: string): void {
    const [path = '', query = ''] = link.split('?', 2);
    const names = [...new URLSearchParams(query).keys()].toSorted().join(',');
    keep(this.#links, `${kindOfPath(path)}?${names}`, link);
  }

  addForm(form: FoundForm): void {
    const names = form.fields.map(([name]) => name).toSorted();
    keep(this.#forms, `${kindOfPath(form.action)} ${names.join(',')}`, form);
  }

  /** Reads the links and forms of a page of this service at `path`. */
  read(path: string, html: string): void {
    for (const [, link = ''] of html.matchAll(/<a\b[^>]*\bhref="(\/[^"#]*)/g)) this.addLink(plain(link));
    for (const [, head = '', inside = ''] of html.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)) {
      const action = attribute(head, 'action') ?? path;
      const fields = [...inside.matchAll(/<(?:input|select|textarea|button)\b([^>]*)>/g)].flatMap(
        ([, own = '']): [string, string][] => {
          const name = attribute(own, 'name');
          return name === null ? [] : [[name, attribute(own, 'value') ?? '']];
        },
      );
      if (attribute(head, 'method')?.toLowerCase() === 'post') this.addForm({ action, fields });
      else this.addLink(`${action}?${new URLSearchParams(fields).toString()}`);
    }
  }
}

function keep<Item>(map: Map<string, Item>, kind: string, item: Item): void {
  if (map.has(kind) || map.size < maxItems) map.set(kind, item);
}

/** Returns a path without the parts that differ between objects. */
export const kindOfPath = (path: string): string =>
  path
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ':id')
    .replaceAll(/\/evt_\w+/g, '/:id')
    .replace(/^\/([acl])\/[^/]+/, '/$1/:token')
    .replace(/^\/(assets|dashboard\/link|guides)\/.+/, '/$1/…');

function attribute(text: string, name: string): string | null {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(text)?.[1];
  return value === undefined ? null : plain(value);
}

const plain = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
