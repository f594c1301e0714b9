import type { OpenApiDocument } from '../openapi/document.ts';
import { html } from './html.ts';
import { operationSection } from './operations.ts';
import type { Endpoint, Operation } from './operations.ts';
import { prose } from './prose.ts';
import { fieldTable, typeOf } from './schemas.ts';
import type { Schema } from './schemas.ts';

/** The description of the interface as one page without scripts, so that it reads offline and under any policy. */
export function docsPage(document: OpenApiDocument): string {
  const endpoints: Endpoint[] = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Operation>).map(([method, operation]) => ({ method, path, operation })),
  );
  const tags = (document.tags ?? []).map((tag) => ({
    ...tag,
    endpoints: endpoints.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  const schemas = Object.entries((document.components?.schemas ?? {}) as Record<string, Schema>).sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  const server = document.servers?.[0]?.url ?? '';
  const { title, version, description } = document.info;

  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} API</title>
        <link rel="stylesheet" href="/docs/style.css" />
      </head>
      <body>
        <nav aria-label="Contents">
          <p class="brand"><a href="#top">${title}</a> <small>${version}</small></p>
          ${tags.map(
            ({ name, endpoints }) =>
              html`<h2>${name}</h2>
                <ul>
                  ${endpoints.map(
                    ({ method, path, operation }) =>
                      html`<li>
                        <a href="#${operation.operationId}" title="${operation.summary}"
                          ><span class="method ${method}">${method.toUpperCase()}</span> ${path.replace('/v1', '')}</a
                        >
                      </li>`,
                  )}
                </ul>`,
          )}
          <h2>Schemas</h2>
          <ul>
            ${schemas.map(([name]) => html`<li><a href="#schema-${name}">${name}</a></li>`)}
          </ul>
        </nav>
        <main id="top">
          <h1>${title} API</h1>
          <p class="line">Version ${version} · <code>${server}</code> · <a href="/openapi.json">openapi.json</a></p>
          ${prose(description)}
          ${tags.map(
            ({ name, description, endpoints }) =>
              html`<h2 class="tag">${name}</h2>
                ${prose(description)}${endpoints.map((endpoint) => operationSection(endpoint, server))}`,
          )}
          <h2 class="tag">Schemas</h2>
          ${schemas.map(
            ([name, schema]) =>
              html`<section id="schema-${name}">
                <h3>${name}</h3>
                ${prose(schema.description)}${schema.properties === undefined ? html`<p class="values">${typeOf(schema)}</p>` : fieldTable(schema)}
              </section>`,
          )}
        </main>
      </body>
    </html>`.html;
}
