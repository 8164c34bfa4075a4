import { renderToString } from 'preact-render-to-string';
import { refusals } from '../../domain/refusals.ts';
import { type Json, type JsonObject, operations } from './document.ts';
import { type Operation, everywhere } from '../http/operation.ts';

/** The reference as one page that works without script; its text is escaped by rendering. */
export function renderReference(document: JsonObject): string {
  const groups = [...new Set(operations.map(({ group }) => group))];
  const { schemas = {} } = (document['components'] ?? {}) as { schemas?: JsonObject };
  const html = renderToString(
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Card payments: API reference</title>
        <link rel="stylesheet" href="/docs/style.css" />
      </head>
      <body>
        <header>
          <h1>Card payments: API reference</h1>
          <p>
            The same as <a href="/openapi.json">openapi.json</a>. Amounts are integer US cents, times are UTC.
            Send <code>Authorization: Bearer &lt;API key&gt;</code> from your backend with every call.
          </p>
        </header>
        <nav aria-label="Endpoints">
          {groups.map((group) => (
            <div key={group}>
              <h2>{group}</h2>
              <ul>
                {operations
                  .filter((each) => each.group === group)
                  .map((each) => (
                    <li key={each.id}>
                      <a href={`#${each.id}`}>{each.summary}</a>
                    </li>
                  ))}
              </ul>
            </div>
          ))}
        </nav>
        <main>
          <h2>Endpoints</h2>
          {operations.map((each) => (
            <Endpoint key={each.id} operation={each} document={document} />
          ))}
          <h2>Schemas</h2>
          {Object.entries(schemas).map(([name, schema]) => (
            <section key={name} id={`schema-${name}`}>
              <h3>{name}</h3>
              <Code value={schema} />
            </section>
          ))}
        </main>
      </body>
    </html>,
  );
  return `<!doctype html>${html}`;
}

function Endpoint({ operation, document }: { operation: Operation; document: JsonObject }) {
  const { id, method, path, summary, description, keyed, success, codes } = operation;
  const described = ((document['paths'] as JsonObject)[path] as JsonObject)[method] as JsonObject;
  return (
    <section id={id}>
      <h3>
        <span class="method">{method}</span> <code>{path}</code>
      </h3>
      <p>{summary}.</p>
      {description === undefined ? null : <p>{description}</p>}
      {keyed ? (
        <p>
          Needs an <code>Idempotency-Key</code>.
        </p>
      ) : null}
      <details>
        <summary>Request and success answer ({success})</summary>
        <Code
          value={{
            parameters: described['parameters'] ?? [],
            ...(described['requestBody'] === undefined ? {} : { requestBody: described['requestBody'] }),
            answer: (described['responses'] as JsonObject)[String(success)] ?? null,
          }}
        />
      </details>
      <details>
        <summary>Errors</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Status</th>
              <th scope="col">Code</th>
              <th scope="col">Meaning</th>
            </tr>
          </thead>
          <tbody>
            {[...everywhere, ...codes]
              .toSorted((a, b) => refusals[a].status - refusals[b].status)
              .map((code) => (
                <tr key={code}>
                  <td>{refusals[code].status}</td>
                  <td>
                    <code>{code}</code>
                  </td>
                  <td>{refusals[code].message}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}

function Code({ value }: { value: Json }) {
  return (
    <pre tabIndex={0}>
      <code>{JSON.stringify(value, null, 2)}</code>
    </pre>
  );
}
