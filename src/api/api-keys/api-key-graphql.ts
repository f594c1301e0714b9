import { z } from 'zod';
import type { ApiKey } from '../../database/accounts/api-keys.ts';
import { builder } from '../graphql/builder.ts';
import { restText } from '../graphql/described-schema.ts';
import { DeletePayload } from '../graphql/delete-payload.ts';
import { restType } from '../graphql/rest-types.ts';
import { mutation, query } from '../graphql/root-fields.ts';
import type { ApiKeyWithSecret, ApiKeyNeeds } from './api-key-commands.ts';
import { apiKeySchema, apiKeyWithSecretSchema, createApiKeyBody, listApiKeysQuery } from './api-key-schemas.ts';

const ApiKeyType = restType(builder.objectRef<ApiKey>('ApiKey'), apiKeySchema);

const CreateApiKeyPayload = builder.objectRef<ApiKeyWithSecret>('CreateApiKeyPayload').implement({
  restSchema: apiKeyWithSecretSchema,
  fields: (t) => ({
    apiKey: t.expose('apiKey', { type: ApiKeyType, description: 'Record of the key.' }),
    key: t.exposeString('key', { nullable: true }),
  }),
});

query('apiKeys', {
  scope: 'keys',
  type: [ApiKeyType],
  description:
    'Lists the API keys of the account, oldest first. Keys that Burnish created for itself are hidden by default. An account has at most 100.',
  args: z.object({
    includeInternal: z
      .boolean()
      .optional()
      .meta({ description: restText(listApiKeysQuery.shape.includeInternal) }),
  }),
  handle: ({ caller, args: { includeInternal = false } }, { apiKeys }: ApiKeyNeeds) =>
    apiKeys.list(caller.account.id, { includeInternal }),
});

mutation('createApiKey', {
  scope: 'keys',
  type: CreateApiKeyPayload,
  description:
    'Creates an API key, shown once. An account has at most 100. Errors: BAD_USER_INPUT, FORBIDDEN for more scopes or a later expiry than the requesting key has.',
  args: createApiKeyBody,
  handle: ({ caller, args, idempotencyKey }, { commands }: ApiKeyNeeds) =>
    commands.createApiKey(caller, args, idempotencyKey),
});

mutation('deleteApiKey', {
  scope: 'keys',
  type: DeletePayload,
  description:
    'Deletes an API key. Requests with it fail within a second. A key can delete itself, but no key with scopes that it lacks. Errors: FORBIDDEN, NOT_FOUND.',
  ids: { id: 'key' },
  async handle({ caller, args: { id }, idempotencyKey }, { commands }: ApiKeyNeeds) {
    await commands.deleteApiKey(caller, id, idempotencyKey);
    return { id };
  },
});
