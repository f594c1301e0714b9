import { builder } from '../graphql/builder.ts';
import { ApiKeyScope } from '../graphql/enums.ts';
import { knownId, withoutNulls } from '../graphql/input.ts';
import { ApiKeyType, DeletePayload } from '../graphql/record-types.ts';
import { restType } from '../graphql/rest-types.ts';
import type { ApiKeyWithSecret } from './api-key-commands.ts';
import { apiKeySchema, apiKeyWithSecretSchema, createApiKeyBody, listApiKeysQuery } from './api-key-schemas.ts';

restType(ApiKeyType, apiKeySchema);

const CreateApiKeyPayload = builder.objectRef<ApiKeyWithSecret>('CreateApiKeyPayload').implement({
  restSchema: apiKeyWithSecretSchema,
  fields: (t) => ({
    apiKey: t.expose('apiKey', { type: ApiKeyType, description: 'Record of the key.' }),
    key: t.exposeString('key', { nullable: true }),
  }),
});

builder.queryFields((t) => ({
  apiKeys: t.field({
    scope: 'keys',
    type: [ApiKeyType],
    description:
      'Lists the API keys of the account, oldest first. Keys that Burnish created for itself are hidden by default. An account has at most 100.',
    restSchema: listApiKeysQuery,
    args: { includeInternal: t.arg.boolean() },
    resolve: (_root, { includeInternal }, { deps, caller }) =>
      deps.apiKeys.list(caller.account.id, { includeInternal: includeInternal ?? false }),
  }),
}));

builder.mutationFields((t) => ({
  createApiKey: t.field({
    scope: 'keys',
    type: CreateApiKeyPayload,
    nullable: true,
    description:
      'Creates an API key, shown once. An account has at most 100. Errors: BAD_USER_INPUT, FORBIDDEN for more scopes or a later expiry than the requesting key has.',
    restSchema: createApiKeyBody,
    args: {
      name: t.arg.string({ required: true }),
      scopes: t.arg({ type: [ApiKeyScope] }),
      expiresAt: t.arg({ type: 'DateTime' }),
      test: t.arg.boolean(),
    },
    resolve: async (_root, args, { deps, caller, keyFor }, info) => {
      const wanted = createApiKeyBody.parse(withoutNulls(args));
      return await deps.commands.createApiKey(caller, wanted, await keyFor(info));
    },
  }),
  deleteApiKey: t.field({
    scope: 'keys',
    type: DeletePayload,
    nullable: true,
    description:
      'Deletes an API key. Requests with it fail within a second. A key can delete itself, but no key with scopes that it lacks. Errors: FORBIDDEN, NOT_FOUND.',
    restSchema: apiKeySchema,
    args: { id: t.arg.id({ required: true }) },
    resolve: async (_root, { id }, { deps, caller, keyFor }, info) => {
      await deps.commands.deleteApiKey(caller, knownId('key', id), await keyFor(info));
      return { id };
    },
  }),
}));
