import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { refusals } from '../../domain/refusals.ts';
import { operations } from './document.ts';
import type { Json, JsonObject } from './json.ts';
import { isWrapper, withShapes } from './resolve-references.ts';
import { type FieldLine, fieldsOf, lineOf, shapesOf } from './fields.ts';
import { type Operation, everywhere } from '../http/operation.ts';

/** Returns the reference as one page that works without script; its text is escaped by rendering. */
export function renderReference(described: JsonObject): string {
  const document = withShapes(described);
  const groups = [...new Set(operations.map(({ group }) => group))];
  const { schemas = {} } = (document['components'] ?? {}) as { schemas?: Record<string, JsonObject> };
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
            <Endpoint key={each.id} operation={each} document={document} schemas={schemas} />
          ))}
          <h2>Schemas</h2>
          {Object.entries(schemas)
            .filter(([, schema]) => !isWrapper(schema))
            .map(([name, schema]) => (
              <section key={name} id={`schema-${name}`}>
                <h3>{name}</h3>
                {typeof schema['description'] === 'string' ? (
                  <p>
                    <Words of={schema['description']} />
                  </p>
                ) : null}
                <Shapes schema={schema} label={`Fields of ${name}`} />
                <Example of={schema} />
              </section>
            ))}
        </main>
      </body>
    </html>,
  );
  return `<!doctype html>${html}`;
}

type Schemas = Readonly<Record<string, JsonObject>>;

function Endpoint({
  operation,
  document,
  schemas,
}: {
  operation: Operation;
  document: JsonObject;
  schemas: Schemas;
}) {
  const { id, method, path, summary, description, success, codes, csv } = operation;
  const described = ((document['paths'] as JsonObject)[path] as JsonObject)[method] as JsonObject;
  const parameters = (described['parameters'] ?? []) as JsonObject[];
  const body = bodyOf(described['requestBody'], schemas);
  const answer = bodyOf((described['responses'] as JsonObject)[String(success)], schemas);
  return (
    <section id={id}>
      <h3>{summary}</h3>
      <p class="call">
        <span class="method">{method}</span> <code>{path}</code>
      </p>
      {description === undefined ? null : (
        <p>
          <Words of={description} />
        </p>
      )}
      {parameters.length === 0 ? null : (
        <>
          <h4>Parameters</h4>
          <Fields label={`Parameters of ${summary}`} lines={parameters.map(parameterLine)} />
        </>
      )}
      {body === null ? null : (
        <>
          <h4>Body</h4>
          <Shapes schema={body} label={`Body of ${summary}`} />
          <Example of={body} />
        </>
      )}
      <h4>Answer {success}</h4>
      {answer === null ? null : <Shapes schema={answer} label={`Answer to ${summary}`} />}
      {csv === undefined ? null : (
        <p>
          With <code>Accept: text/csv</code>: <Words of={csv} />
        </p>
      )}
      <details>
        <summary>Errors</summary>
        <Table label={`Errors of ${summary}`} heads={['Status', 'Code', 'Meaning']}>
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
        </Table>
      </details>
    </section>
  );
}

/** The JSON schema of a body or an answer, a named one as it is; null where there is none. */
function bodyOf(part: Json | undefined, schemas: Schemas): JsonObject | null {
  const content = (part as JsonObject | undefined)?.['content'] as JsonObject | undefined;
  const schema = (content?.['application/json'] as JsonObject | undefined)?.['schema'] as
    JsonObject | undefined;
  if (schema === undefined) return null;
  const { $ref } = schema;
  return typeof $ref === 'string' ? (schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? null) : schema;
}

function parameterLine(parameter: JsonObject): FieldLine {
  const { name, in: place, required, schema } = parameter;
  const line = lineOf(name as string, schema as JsonObject, required === true);
  return place === 'header' ? { ...line, name: `${line.name} (header)` } : line;
}

function Shapes({ schema, label }: { schema: JsonObject; label: string }) {
  const shapes = shapesOf(schema).map((shape) => fieldsOf(shape));
  return (
    <>
      {shapes.map((lines, index) => (
        <div key={index}>
          {index === 0 ? null : <p>or</p>}
          {lines.length === 0 ? <p>An empty object.</p> : <Fields label={label} lines={lines} />}
        </div>
      ))}
    </>
  );
}

/** Scrolls by itself where it is wider than the page, by keyboard too. */
function Table({
  label,
  heads,
  children,
}: {
  label: string;
  heads: readonly string[];
  children: ComponentChildren;
}) {
  return (
    <div class="scroll" role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** Text of the document, in which backticks enclose code. */
const Words = ({ of: text }: { of: string }) => (
  <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>
);

function Fields({ label, lines }: { label: string; lines: readonly FieldLine[] }) {
  const explains = lines.some(({ about }) => about !== '');
  return (
    <Table label={label} heads={['Name', 'Type', ...(explains ? ['Meaning'] : [])]}>
      {lines.map(({ name, type, schema, required, about }) => (
        <tr key={name}>
          <td>
            <code>{name}</code>
            {required ? null : <small> optional</small>}
          </td>
          <td>{schema === null ? type : <a href={`#schema-${schema}`}>{type}</a>}</td>
          {explains ? (
            <td>
              <Words of={about} />
            </td>
          ) : null}
        </tr>
      ))}
    </Table>
  );
}

function Example({ of: schema }: { of: JsonObject }) {
  const [example] = (schema['examples'] ?? []) as Json[];
  if (example === undefined) return null;
  return (
    <pre tabIndex={0}>
      <code>{JSON.stringify(example, null, 2)}</code>
    </pre>
  );
}
