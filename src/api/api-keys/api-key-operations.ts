import { MAX_API_KEYS } from '@burnish/contract';
import { requireRecord } from '../commands/checks.ts';
import { created, noContent, ok, page } from '../rest/answers.ts';
import { idPath, operation } from '../rest/operation.ts';
import { oldestFirst, pageOf } from '../schemas/paging.ts';
import {
  apiKeySchema,
  apiKeyWithSecretSchema,
  createApiKeyBody,
  listApiKeysQuery,
  representApiKey,
} from './api-key-schemas.ts';
import type { ApiKeyNeeds } from './api-key-commands.ts';

const tag = 'Account';
const parameters = idPath('key');

/** `/v1/api-keys`: the keys of the account. */
export const apiKeyOperations = [
  operation({
    operationId: 'createApiKey',
    graphql: { field: 'createApiKey' },
    scope: 'keys',
    method: 'post',
    path: '/v1/api-keys',
    tag,
    summary: 'Create an API key',
    description: `An account has at most ${MAX_API_KEYS} keys. The response shows the key once. Replace a lost key.`,
    body: createApiKeyBody,
    example: { name: 'Production' },
    answer: created('The key.', apiKeyWithSecretSchema),
    failures: ['NOT_FOUND'],
    async handle({ caller, body, idempotencyKey }, { commands }: ApiKeyNeeds) {
      const { apiKey, key } = await commands.createApiKey(caller, body, idempotencyKey);
      return { location: `/v1/api-keys/${apiKey.id}`, body: { ...representApiKey(apiKey), key } };
    },
  }),

  operation({
    operationId: 'listApiKeys',
    graphql: { field: 'apiKeys' },
    scope: 'keys',
    method: 'get',
    path: '/v1/api-keys',
    tag,
    summary: 'List the API keys, oldest first',
    description:
      'The keys themselves are stored as hashes and cannot be read. Keys that Burnish created for itself are hidden unless `includeInternal` is `true`.',
    query: listApiKeysQuery,
    answer: page(apiKeySchema),
    async handle({ caller, query: { includeInternal = false, ...query } }, { apiKeys }: ApiKeyNeeds) {
      const keys = await apiKeys.list(caller.account.id, { includeInternal });
      return pageOf(keys.map(representApiKey), oldestFirst, query);
    },
  }),

  operation({
    operationId: 'getApiKey',
    scope: 'keys',
    method: 'get',
    path: '/v1/api-keys/{id}',
    tag,
    summary: 'Read the record of an API key',
    description: 'The key itself is stored as a hash and cannot be read.',
    parameters,
    answer: ok('The record of the key.', apiKeySchema),
    failures: ['NOT_FOUND'],
    handle: async ({ caller, parameters: { id } }, { apiKeys }: ApiKeyNeeds) =>
      representApiKey(requireRecord(await apiKeys.get(caller.account.id, id))),
  }),

  operation({
    operationId: 'deleteApiKey',
    graphql: { field: 'deleteApiKey' },
    scope: 'keys',
    method: 'delete',
    path: '/v1/api-keys/{id}',
    tag,
    summary: 'Delete an API key',
    description:
      'Requests with the key are refused at once. A key can delete itself, but no key with scopes that it lacks.',
    parameters,
    answer: noContent('The key is deleted.'),
    failures: ['NOT_FOUND'],
    handle: ({ caller, parameters: { id }, idempotencyKey }, { commands }: ApiKeyNeeds) =>
      commands.deleteApiKey(caller, id, idempotencyKey),
  }),
];
