import { openApiDocument, operations } from '../../src/api/docs/document.ts';
import type { JsonObject } from '../../src/api/docs/json.ts';
import { everywhere } from '../../src/api/http/operation.ts';
import { refusals } from '../../src/domain/refusals.ts';
import { type FuzzRequest, type Pool, draw } from './generate.ts';
import type { HostileAnswer, Surface } from './surface.ts';
import { withShapes } from './with-shapes.ts';

/** The most ids that requests use. */
const maxIds = 60;

/** Returns the merchants' API at `baseUrl`: every operation of its document, all equally often. */
export function apiSurface(baseUrl: string, pool: Pool): Surface {
  const document = withShapes(openApiDocument(baseUrl));
  const { schemas } = document['components'] as { schemas: JsonObject };
  const paths = document['paths'] as Record<string, Record<string, JsonObject>>;
  return {
    async draw(random) {
      const operation = random.pick(operations);
      const described = paths[operation.path]?.[operation.method] ?? {};
      const request = draw(random, operation, described, schemas, pool);
      return {
        ...request,
        name: operation.id,
        url: baseUrl + request.url,
        verdict(answer) {
          const created = /"id":"([0-9a-f-]{36})"/.exec(answer.text)?.[1];
          if (answer.status === 201 && created !== undefined && pool.ids.length < maxIds)
            pool.ids.push(created);
          return verdictOfApi(request, answer);
        },
      };
    },
  };
}

/** Returns the fault of an answer of the API, or null. */
export function verdictOfApi(request: FuzzRequest, { status, headers, text }: HostileAnswer): string | null {
  const { operation } = request;
  const type = headers.get('content-type') ?? '';
  if (!type.startsWith('application/json')) return `content type ${type}`;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return 'not JSON';
  }
  if (status === operation.success) {
    const parsed = operation.answer.safeParse(body);
    return parsed.success
      ? null
      : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  }
  const code = refusalIn(body, status);
  if (code === null) return `no documented code with ${status}`;
  // A path that its id has broken no longer belongs to this operation.
  const codes = [
    ...everywhere,
    ...operation.codes,
    ...(isOtherPath(request) ? (['not_found'] as const) : []),
  ];
  return codes.includes(code) ? null : `${code} is not documented`;
}

/** Returns the code of a refusal in the documented shape that has this status, or null. */
export function refusalIn(body: unknown, status: number): keyof typeof refusals | null {
  const { error } = body as { error?: { code?: string } };
  const code = Object.keys(refusals).find((each) => each === error?.code) as
    keyof typeof refusals | undefined;
  return code !== undefined && refusals[code].status === status ? code : null;
}

const isOtherPath = ({ operation, url }: FuzzRequest): boolean => {
  const segments = new URL(url, 'http://x').pathname.split('/');
  return operation.path.split('/').length !== segments.length || url.includes('%2F') || url.includes('%2e');
};
