import { codeBlock, escape, inline, parse, render } from './markdown.mjs';
import { fieldTable } from './records.mjs';
import { answerTable, follow, pageLinks, parameterTable, tagFile } from './reference.mjs';

const TAG = 'Events';

/**
 * The requests to the endpoints of callers, from the section `webhooks` of the description.
 * @param {any} document of OpenAPI
 */
export function readEvents(document) {
  return Object.entries(/** @type {Record<string, any>} */ (document.webhooks)).map(([kind, { post }]) => ({
    kind,
    id: /** @type {string} */ (post.operationId),
    summary: /** @type {string} */ (post.summary),
    address: `${tagFile(TAG)}#${post.operationId}`,
    post,
    ...post.requestBody.content['application/json'],
  }));
}

/**
 * The page of all events: what their requests have in common, and the body of each with an example.
 * @param {any} document of OpenAPI
 * @param {ReturnType<typeof readEvents>} events
 * @param {(address: string) => { file: string, title: string }[]} pagesOf pages that name an event
 */
export function eventsPage(document, events, pagesOf) {
  const { description } = document.tags.find((/** @type {{ name: string }} */ { name }) => name === TAG);
  const [first] = events;
  const parameters = first?.post.parameters.map((/** @type {any} */ each) => follow(document, each)) ?? [];
  const sections = events.map(
    ({ kind, id, summary, address, schema, example }) => `<section class="operation" aria-labelledby="${id}">
<h2 id="${id}">${escape(summary)}</h2>
<p class="route"><code>${escape(kind)}</code></p>
${codeBlock(JSON.stringify(example, null, 2), 'json')}
${fieldTable(document, schema.properties.data, '<code>data</code>')}
${pageLinks(pagesOf(address))}
</section>`,
  );
  return {
    file: tagFile(TAG),
    title: TAG,
    content: `<h1>${TAG}</h1>
<p>${inline(description)}</p>
${render(parse(first?.post.description ?? ''))}
${parameterTable(parameters)}
${answerTable(first?.post.responses ?? {})}
${sections.join('\n')}`,
    sections: events.map(({ kind, id, summary, schema }) => ({
      id,
      heading: summary,
      text: `${kind} ${Object.keys(follow(document, schema.properties.data).properties).join(' ')}`,
    })),
  };
}
