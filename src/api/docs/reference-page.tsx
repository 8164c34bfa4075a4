import { renderToString } from 'preact-render-to-string';
import { codeSamples } from './code-samples.ts';
import { operations } from './document.ts';
import { type JsonObject, isObject, nameIn, textOf } from './json.ts';
import type { Operation } from '../http/operation.ts';

/**
 * Returns the page of the reference. A renderer's bundle shows the document; without script, the page shows a
 * plain list of the operations with their fields and samples. Rendering escapes all texts.
 */
export function renderReference(document: JsonObject): string {
  const groups = [...new Set(operations.map(({ group }) => group))];
  const html = renderToString(
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Card payments: API reference</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/docs/reference.css" />
        <script defer src="/docs/start.js" />
        <script defer src="/docs/reference.js" />
      </head>
      <body>
        <nav class="bar" aria-label="Documentation">
          <strong>Card payments</strong>
          <a href="/guides/">Guides</a>
          <a href="/openapi.json">openapi.json</a>
        </nav>
        <div id="reference" />
        <noscript>
          <main>
            <h1>Card payments: API reference</h1>
            <p>
              <a href="/openapi.json">openapi.json</a> describes every field and every error. Amounts are
              integer US cents, times are UTC. Send <code>Authorization: Bearer &lt;API key&gt;</code> from
              your backend with every call.
            </p>
            {groups.map((group) => (
              <div key={group}>
                <h2>{group}</h2>
                {operations
                  .filter((each) => each.group === group)
                  .map((each) => (
                    <Endpoint key={each.id} operation={each} document={document} />
                  ))}
              </div>
            ))}
          </main>
        </noscript>
      </body>
    </html>,
  );
  return `<!doctype html>${html}`;
}

function Endpoint({ operation, document }: { operation: Operation; document: JsonObject }) {
  const { id, method, path, summary, description } = operation;
  const fields = fieldsOf(operation, document);
  return (
    <section id={id}>
      <h3>{summary}</h3>
      <p>
        <code>
          {method.toUpperCase()} {path}
        </code>
      </p>
      {description === undefined ? null : <p>{description}</p>}
      {fields.length === 0 ? null : <p>Fields: {fields.join(', ')}.</p>}
      {codeSamples(operation).map(({ lang, source }) => (
        <pre key={textOf(lang)} tabIndex={0}>
          <code>{textOf(source)}</code>
        </pre>
      ))}
    </section>
  );
}

/** Returns the names of the fields of a body and marks the optional ones. */
function fieldsOf({ method, path }: Operation, document: JsonObject): string[] {
  const described = ((document['paths'] as JsonObject)[path] as JsonObject)[method] as JsonObject;
  const { content } = (described['requestBody'] ?? {}) as { content?: Record<string, JsonObject> };
  const reference = content?.['application/json']?.['schema'];
  const { schemas = {} } = (document['components'] ?? {}) as { schemas?: Record<string, JsonObject> };
  const schema = isObject(reference) ? schemas[nameIn(reference['$ref'])] : undefined;
  const required = (schema?.['required'] ?? []) as string[];
  return Object.keys((schema?.['properties'] ?? {}) as JsonObject).map((name) =>
    required.includes(name) ? name : `${name} (optional)`,
  );
}
