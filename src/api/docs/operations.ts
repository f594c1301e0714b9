import { html } from './html.ts';
import type { Html } from './html.ts';
import { inline, prose } from './prose.ts';
import { fieldTable, typeOf } from './schemas.ts';
import type { Schema } from './schemas.ts';

interface Media {
  schema?: Schema;
  example?: unknown;
}

/** The part of an OpenAPI operation that the page shows. */
export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security?: unknown[];
  parameters?: { in: string; name: string; required?: boolean; description?: string; schema: Schema }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { description: string; content?: Record<string, Media> }>;
}

export interface Endpoint {
  method: string;
  path: string;
  operation: Operation;
}

/** One operation, with everything that can be sent and what comes back. */
export function operationSection({ method, path, operation }: Endpoint, server: string): Html {
  return html`<section id="${operation.operationId}">
    <h3>${operation.summary}</h3>
    <p class="line"><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code></p>
    ${prose(operation.description)} ${parameters(operation)}
    ${Object.entries(operation.requestBody?.content ?? {}).map(([type, media]) => body(type, media))}
    <h4>Try it</h4>
    <pre>${curl(method, path, operation, server)}</pre>
    <h4>Answers</h4>
    ${Object.entries(operation.responses).map(([status, { description, content }]) => response(status, description, content))}
  </section>`;
}

function parameters({ parameters = [] }: Operation): Html | null {
  if (parameters.length === 0) return null;
  return html`<h4>Parameters</h4>
    <div class="wide">
      <table class="fields">
        <thead>
          <tr>
            <th>Name</th>
            <th>In</th>
            <th>Type</th>
            <th>Meaning</th>
          </tr>
        </thead>
        <tbody>
          ${parameters.map(
            ({ name, in: place, required, schema, description }) =>
              html`<tr>
                <td><code>${name}</code>${required !== true && html` <span class="optional">optional</span>`}</td>
                <td>${place}</td>
                <td>${typeOf(schema)}</td>
                <td>${inline(description ?? schema.description ?? '')}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}

function body(type: string, { schema, example }: Media): Html {
  const title = html`<h4>Body as <code>${type}</code></h4>`;
  if (schema?.$ref !== undefined)
    return html`${title}
      <p>${typeOf(schema)}</p>
      ${example !== undefined && json(example)}`;
  return html`${title}${schema?.properties === undefined ? html`<p>The bytes of the file.</p>` : fieldTable(schema)}`;
}

function response(status: string, description: string, content: Record<string, Media> = {}): Html {
  const [type, media] = Object.entries(content)[0] ?? [];
  return html`<details>
    <summary><span class="status s${status[0]}">${status}</span> ${inline(description.split('\n')[0]!)}</summary>
    ${description.includes('\n') && prose(description)}
    ${type !== undefined && html`<p class="type"><code>${type}</code>${media?.schema?.$ref !== undefined && [' · ', typeOf(media.schema)]}</p>`}
    ${media?.schema?.properties !== undefined && fieldTable(media.schema)}
    ${media?.example !== undefined && json(media.example)}
  </details>`;
}

function json(value: unknown): Html {
  return html`<pre>${JSON.stringify(value, null, 2)}</pre>`;
}

/** A call that can be pasted into a shell. */
function curl(method: string, path: string, operation: Operation, server: string): string {
  const address = operation.operationId === 'downloadFile' ? '"$FULL_URL" -OJ' : `'${server}${path}'`;
  const parts = [`curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}${address}`];
  if (operation.security === undefined) parts.push(`-H "x-api-key: $BURNISH_API_KEY"`);
  const media = operation.requestBody?.content['application/json'];
  if (media !== undefined) {
    const example = media.example ?? { mode: 'ENHANCE', upscalingFactor: 'X2' };
    parts.push(`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(example)}'`);
  }
  const text = parts.join(' \\\n  ');
  if (operation.operationId !== 'createUpload') return text;
  return `${text}\n\n${[`curl ${address}`, `-H "x-api-key: $BURNISH_API_KEY"`, `-F file=@photo.jpg`, `-F 'enhancements=[{"upscalingFactor":"X2"}]'`].join(' \\\n  ')}`;
}
