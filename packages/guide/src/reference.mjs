import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeBlock, escape, inline, parse, render } from './markdown.mjs';
import { describeType, fieldTable } from './records.mjs';
import { table } from './table.mjs';
import { curlRequest, graphqlRequests, typescriptCalls, typescriptRequest } from './requests.mjs';

/**
 * @typedef {object} Operation of REST
 * @property {string} id
 * @property {string} tag
 * @property {string} method in capitals
 * @property {string} path
 * @property {string} summary
 * @property {string} description Markdown
 * @property {boolean} hasKey whether it needs a key
 * @property {boolean} isOperators whether it needs the operator's key
 * @property {{ type: string, data: string, json?: unknown } | undefined} body
 * @property {string} query with its question mark
 * @property {[string, string][]} headers required ones with an example
 * @property {string | undefined} answersFile name for a file that it answers with
 * @property {Record<string, any>[]} parameters
 * @property {Record<string, any> | undefined} fields schema of its JSON body
 * @property {Record<string, Record<string, any>>} responses
 */

/** @param {string} tag */
export const tagFile = (tag) => `reference/${tag.toLowerCase()}.html`;

/** @param {Operation} operation */
const addressOf = ({ tag, id }) => `${tagFile(tag)}#${id}`;

/**
 * The description of REST and GraphQL, read from `docs/api`.
 * @param {string} root
 */
export function readReference(root) {
  const document = JSON.parse(readFileSync(join(root, 'docs', 'api', 'openapi.json'), 'utf8'));
  const graphql = graphqlRequests(root);
  /** @type {Operation[]} */
  const operations = [];
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, described] of Object.entries(methods)) operations.push(read(document, path, method, described));
  }
  /** @type {import('./links.mjs').Site['operations']} */
  const addresses = new Map();
  for (const operation of operations) {
    const place = { address: addressOf(operation), summary: operation.summary };
    addresses.set(`${operation.method} ${operation.path}`, place);
    // A name of one word is a word of the language too.
    for (const field of graphql.fieldsOf(operation.id)) if (/[a-z][A-Z]/.test(field)) addresses.set(field, place);
  }
  return { document, graphql, operations, addresses, calls: typescriptCalls(import.meta.dirname) };
}

/** @typedef {ReturnType<typeof readReference>} Reference */

/**
 * @param {any} document
 * @param {any} value
 * @returns {any} what a reference leads to
 */
export const follow = (document, value) =>
  value?.$ref
    ? value.$ref
        .slice(2)
        .split('/')
        .reduce((/** @type {any} */ at, /** @type {string} */ key) => at[key], document)
    : value;

/**
 * @param {any} document
 * @param {string} path
 * @param {string} method
 * @param {any} described
 * @returns {Operation}
 */
function read(document, path, method, described) {
  /** @type {any[]} */
  const parameters = (described.parameters ?? []).map((/** @type {any} */ each) => follow(document, each));
  const required = parameters.filter((each) => each.required);
  const exampleOf = (/** @type {any} */ each) =>
    String(follow(document, each.schema).example ?? each.schema.const ?? '…');
  const query = required.filter((each) => each.in === 'query').map((each) => `${each.name}=${exampleOf(each)}`);
  const responses = mapValues(described.responses, (response) => follow(document, response));
  const content = described.requestBody?.content ?? {};
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  const [answerType = ''] = Object.keys(success?.content ?? {});
  return {
    id: described.operationId,
    tag: described.tags[0],
    method: method.toUpperCase(),
    path,
    summary: described.summary,
    description: described.description ?? '',
    hasKey: described['x-scope'] !== undefined,
    isOperators: described['x-scope'] === 'operator',
    body: bodyOf(content, described.requestBody?.required),
    query: query.length === 0 ? '' : `?${query.join('&')}`,
    headers: required.filter((each) => each.in === 'header').map((each) => [each.name, exampleOf(each)]),
    answersFile: FILES_OF_TYPES[answerType],
    parameters,
    fields: content['application/json']?.schema ?? content['application/x-ndjson']?.schema,
    responses,
  };
}

/** @type {Record<string, string>} */
const FILES_OF_TYPES = {
  'application/pdf': 'report.pdf',
  'application/zip': 'archive.zip',
  'image/webp': 'preview.webp',
  'image/jpeg': 'preview.jpg',
  '*/*': 'result',
  'application/octet-stream': 'result',
};

/**
 * @param {Record<string, any>} content
 * @param {boolean | undefined} required
 * @returns {Operation['body']}
 */
function bodyOf(content, required) {
  const [[type, { example }] = ['', {}]] = Object.entries(content);
  if (type === '') return undefined;
  if (/json$/.test(type)) {
    const json = example ?? IDS_OF_UPLOADS(content[type]);
    return json === undefined && !required
      ? undefined
      : { type, json: json ?? {}, data: `-d '${JSON.stringify(json ?? {})}'` };
  }
  return { type: type === 'application/offset+octet-stream' ? type : 'image/jpeg', data: '--data-binary @photo.jpg' };
}

/** @param {any} content of an operation that takes ids alone */
const IDS_OF_UPLOADS = ({ schema }) =>
  String(schema?.$ref).endsWith('/DeleteUploads') ? { ids: ['upl_01jz8k3v5wq4m2n7p9r6s8t0xy'] } : undefined;

/**
 * @param {Record<string, any>} record
 * @param {(value: any) => any} map
 */
const mapValues = (record, map) => Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));

/**
 * One page for each resource with operations.
 * @param {Reference} reference
 * @param {(operation: string) => { file: string, title: string }[]} pagesOf pages that name an operation
 */
export function referencePages(reference, pagesOf) {
  return reference.document.tags
    .map((/** @type {{ name: string, description: string }} */ tag) => ({
      ...tag,
      operations: reference.operations.filter((each) => each.tag === tag.name),
    }))
    .filter((/** @type {any} */ { operations }) => operations.length > 0)
    .map((/** @type {any} */ { name, description, operations }) => ({
      file: tagFile(name),
      title: name,
      content: `<h1>${name}</h1>\n<p>${escape(description)}</p>\n${operations.map((/** @type {Operation} */ each) => section(each, reference, pagesOf(addressOf(each)))).join('\n')}`,
      sections: operations.map((/** @type {Operation} */ { id, summary, description: text, method, path }) => ({
        id,
        heading: summary,
        text: `${method} ${path} ${id} ${reference.graphql.fieldsOf(id).join(' ')} ${text}`,
      })),
    }));
}

/**
 * @param {Operation} operation
 * @param {Reference} reference
 * @param {{ file: string, title: string }[]} pages
 */
function section(operation, reference, pages) {
  const { id, tag, method, path, summary, parameters, fields } = operation;
  return `<section class="operation" aria-labelledby="${id}">
<h2 id="${id}">${escape(summary)}</h2>
<p class="route"><code><b>${method}</b> ${escape(path)}</code> <a href="/docs#/${tag}/${id}">Send it in the API documentation</a></p>
${render(parse(withLinks(operation.description)))}
${tabs(operation, reference)}
${parameterTable(parameters)}
${fields === undefined ? '' : fieldTable(reference.document, fields, 'Body')}
${answerTable(operation.responses)}
${pageLinks(pages)}
</section>`;
}

/** @param {{ file: string, title: string }[]} pages that name an operation or event */
export function pageLinks(pages) {
  const links = pages.map(({ file, title }) => `<a href="../${file}">${escape(title)}</a>`);
  return links.length === 0 ? '' : `<p class="pages">Pages about it: ${links.join(' · ')}</p>`;
}

/**
 * Descriptions link to operations as Swagger UI does.
 * @param {string} text
 */
const withLinks = (text) => text.replace(/\(#\/(\w+)\/(\w+)\)/g, (_, tag, id) => `(../${tagFile(tag)}#${id})`);

/**
 * @param {Operation} operation
 * @param {Reference} reference
 */
function tabs(operation, { graphql, calls }) {
  /** @type {[string, string, string][]} */
  const examples = [['curl', curlRequest(operation), 'bash']];
  const call =
    calls.get(operation.id) ??
    (operation.hasKey && /^(GET|POST|PUT|PATCH|DELETE)$/.test(operation.method) && !operation.path.startsWith('/v1/tus')
      ? typescriptRequest(operation)
      : undefined);
  if (call !== undefined) examples.push(['TypeScript', call, 'typescript']);
  const fields = graphql.fieldsOf(operation.id);
  if (fields.length > 0)
    examples.push([
      'GraphQL',
      fields.map((field) => graphqlExample(field, operation, graphql)).join('\n\n'),
      'graphql',
    ]);
  const panels = examples.map(
    ([label, code, language]) => `<div data-tab="${label}">${codeBlock(code, language)}</div>`,
  );
  return `<div class="tabs">${panels.join('')}</div>`;
}

/**
 * @param {string} field
 * @param {Operation} operation
 * @param {Reference['graphql']} graphql
 */
function graphqlExample(field, operation, graphql) {
  const { document, variables } = graphql.request(field, exampleOf(operation));
  const values = Object.keys(variables).length === 0 ? '' : `\n# Variables: ${JSON.stringify(variables)}`;
  return `${document}${values}`;
}

/**
 * Values that the example of REST has, for arguments of GraphQL.
 * @param {Operation} operation
 * @returns {Record<string, any>}
 */
export function exampleOf({ body, parameters }) {
  const path = parameters.filter((each) => each['in'] === 'path').map((each) => [each['name'], each['schema'].example]);
  const id = path.find(([name]) => name === 'id')?.[1] ?? 'upl_01jz8k3v5wq4m2n7p9r6s8t0xy';
  return { id, ...Object.fromEntries(path), .../** @type {object | undefined} */ (body?.json) };
}

/** @param {Record<string, any>[]} parameters */
export function parameterTable(parameters) {
  if (parameters.length === 0) return '';
  const rows = parameters.map(
    ({ name, in: place, required, schema, description = schema.description ?? '' }) =>
      `<tr><td><code>${escape(name)}</code></td><td>${place}${required ? ', required' : ''}</td><td>${describeType(schema)}</td><td>${inline(withLinks(description))}</td></tr>`,
  );
  return table('Parameters', ['Name', 'Place', 'Type', 'Meaning'], rows);
}

/** @param {Operation['responses']} responses */
export function answerTable(responses) {
  const rows = Object.entries(responses).map(([status, { description, content }]) => {
    const schema = Object.values(content ?? {})[0]?.schema;
    return `<tr><td>${status}</td><td>${inline(withLinks(description))}</td><td>${schema === undefined ? '' : describeType(schema)}</td></tr>`;
  });
  return table('Answers', ['Status', 'Meaning', 'Body'], rows);
}
