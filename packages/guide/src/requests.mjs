import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isLeafType,
} from 'graphql';

/**
 * Fields of GraphQL by the operation of REST that does the same, where their names differ. Several fields can have one operation.
 * @type {Record<string, string[]>}
 */
const FIELDS = {
  createUpload: ['createUploadFromUrl', 'createUploadFromBucket'],
  listUploads: ['uploads'],
  getUpload: ['upload'],
  analyzeUpload: ['analyzePdf', 'analyzePdfWithPassword'],
  createSignedUpload: ['createSignedUploadUrl'],
  createEnhancements: ['createEnhancedImage'],
  estimateEnhancements: ['enhancementEstimate'],
  tryEnhancements: ['enhancementTrial'],
  listEnhancements: ['enhancedImages'],
  getEnhancement: ['enhancedImage'],
  listPresets: ['presets'],
  listLooks: ['looks'],
  getLook: ['look'],
  getPreset: ['preset'],
  listBatches: ['batches'],
  getBatch: ['batch'],
  getBatchManifest: ['batchManifest'],
  getCredits: ['credits'],
  listApiKeys: ['apiKeys'],
  updateSettings: ['updateFileRetention'],
  getVersion: ['version'],
  listWebhooks: ['webhooks'],
  getWebhook: ['webhook'],
  redeliverFailedWebhookDeliveries: ['redeliverFailed'],
  listUsage: ['usage'],
  listWebhookDeliveries: ['webhookDeliveries'],
  redeliverWebhookDelivery: ['redeliverWebhook'],
};

/** Values of arguments that no example of REST has. @type {Record<string, unknown>} */
const VALUES = {
  url: 'https://example.com/photo.jpg',
  bucket: 'photos',
  key: 'in/photo.jpg',
  password: 'password of the PDF',
  days: 7,
  name: 'web',
};

/**
 * Makes the documents of GraphQL from its description.
 * @param {string} root
 */
export function graphqlRequests(root) {
  const schema = buildSchema(readFileSync(join(root, 'docs', 'api', 'schema.graphql'), 'utf8'));
  const queries = schema.getQueryType()?.getFields() ?? {};
  const mutations = schema.getMutationType()?.getFields() ?? {};
  return {
    schema,
    fields: [...Object.keys(queries), ...Object.keys(mutations)],
    /** @param {string} operationId */
    fieldsOf: (operationId) =>
      FIELDS[operationId] ?? (operationId in mutations || operationId in queries ? [operationId] : []),
    /**
     * @param {string} name of a query or mutation
     * @param {Record<string, unknown>} example values that the operation of REST has
     * @returns {{ document: string, variables: Record<string, unknown> }}
     */
    request(name, example) {
      const field = queries[name] ?? mutations[name];
      if (field === undefined) throw new Error(`GraphQL has no field ${name}.`);
      const args = field.args.filter(({ name: arg, type }) => isNonNullType(type) || arg in example);
      const declared = args.map(({ name: arg, type }) => `$${arg}: ${type}`).join(', ');
      const passed = args.map(({ name: arg }) => `${arg}: $${arg}`).join(', ');
      const kind = name in queries ? 'query' : 'mutation';
      const head = args.length === 0 ? `${kind} {\n  ${name}` : `${kind} (${declared}) {\n  ${name}(${passed})`;
      const variables = Object.fromEntries(args.map(({ name: arg, type }) => [arg, valueOf(arg, type, example)]));
      return { document: `${head} ${selection(getNamedType(field.type), 2)}\n}`, variables };
    },
  };
}

/** Fields of a record that a first request reads. */
const MOST_FIELDS = 8;

/**
 * @param {import('graphql').GraphQLNamedType} type
 * @param {number} depth spaces before its brace
 * @returns {string}
 */
function selection(type, depth) {
  if (!('getFields' in type)) return '';
  const fields = Object.values(/** @type {import('graphql').GraphQLObjectType} */ (type).getFields());
  const open = fields.filter(({ args }) => !args.some((arg) => isNonNullType(arg.type)));
  const leaves = open.filter((field) => isLeafType(getNamedType(field.type))).slice(0, MOST_FIELDS);
  const indent = ' '.repeat(depth + 2);
  const lines = leaves.map((field) => field.name);
  // Of a page its items, and of an answer that wraps a record that record.
  for (const field of open) {
    const inner = /** @type {import('graphql').GraphQLNamedType} */ (getNamedType(field.type));
    const isPart = leaves.length < 2 || /^(nodes|items|pageInfo)$/.test(field.name);
    if (!isLeafType(inner) && isPart && depth < 6) lines.push(`${field.name} ${selection(inner, depth + 2)}`);
  }
  return `{\n${lines.map((line) => indent + line).join('\n')}\n${' '.repeat(depth)}}`;
}

/**
 * @param {string} name
 * @param {import('graphql').GraphQLInputType} type
 * @param {Record<string, any>} example
 * @returns {unknown}
 */
function valueOf(name, type, example) {
  if (isNonNullType(type)) return valueOf(name, type.ofType, example);
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    const [order] = example['enhancements'] ?? [];
    const known = { ...(type.name === 'CreateEnhancedImageInput' ? order : {}), ...example, ...example[name] };
    const wanted = fields.filter((field) => isNonNullType(field.type) || field.name in known);
    return Object.fromEntries(wanted.map((field) => [field.name, valueOf(field.name, field.type, known)]));
  }
  if (name in example) return example[name];
  if (isListType(type)) return [valueOf(name.replace(/s$/, ''), type.ofType, example)];
  if (isEnumType(type)) return type.getValues()[0]?.value;
  return VALUES[name] ?? (/^(id|uploadId)$/.test(name) ? example['id'] : `${name} of yours`);
}

/**
 * @param {import('./reference.mjs').Operation} operation
 * @returns {string} a command of a shell with `BURNISH` and `KEY`
 */
export function curlRequest({ method, path, hasKey, isOperators, body, query, headers, answersFile }) {
  const url = `"$BURNISH${path.replace(/\{(\w+)\}/g, (_, name) => `$${name.toUpperCase()}`)}${query}"`;
  const key = isOperators ? '$OPERATOR_KEY' : '$KEY';
  const parts = [
    `curl ${method === 'GET' ? '' : method === 'HEAD' ? '--head ' : `-X ${method} `}${url}`,
    ...(hasKey ? [`-H "x-api-key: ${key}"`] : []),
    ...headers.map(([name, value]) => `-H "${name}: ${value}"`),
    ...(body === undefined ? [] : [`-H "Content-Type: ${body.type}"`, body.data]),
    ...(answersFile ? [`-o ${answersFile}`] : []),
  ];
  return parts.join(' \\\n  ');
}

/**
 * The bodies of the functions of `typescript-calls.ts` by name.
 * @param {string} folder of that module
 * @returns {Map<string, string>}
 */
export function typescriptCalls(folder) {
  const source = readFileSync(join(folder, 'typescript-calls.ts'), 'utf8');
  const calls = source.matchAll(/^ {2}async (\w+)\([^]*?\) \{\n([^]*?)^ {2}\},$/gm);
  return new Map([...calls].map(([, name = '', body = '']) => [name, body.replace(/^ {4}/gm, '').trimEnd()]));
}

/** @param {import('./reference.mjs').Operation} operation */
export function typescriptRequest({ method, path, body, answersFile }) {
  const call = answersFile ? 'send' : 'request';
  const address = path.includes('{') ? `\`${path.replaceAll('{', '${')}\`` : `'${path}'`;
  const options = body?.json === undefined ? '' : `, { json: ${literal(body.json)} }`;
  return `const answer = await burnish.${call}('${method}', ${address}${options});`;
}

/** @param {unknown} value */
const literal = (value) =>
  JSON.stringify(value, null, 2)
    .replace(/\n\s*/g, ' ')
    .replace(/"(\w+)": /g, '$1: ')
    .replaceAll('"', "'");
