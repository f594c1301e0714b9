import { builder } from '../graphql/builder.ts';
import { ApiKeyScope } from '../graphql/enums.ts';
import { knownId, withoutNulls } from '../graphql/input.ts';
import { ApiKeyType, DeletePayload } from '../graphql/record-types.ts';
import type { ApiKeyWithSecret } from './api-key-commands.ts';
import { createApiKeyBody } from './api-key-schemas.ts';

ApiKeyType.implement({
  description: 'An API key of the account. The key itself is stored as a hash.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier of the key, `key_…`; not the key itself.' }),
    name: t.exposeString('name', { description: 'Purpose of the key.' }),
    prefix: t.exposeString('prefix', { description: 'The first characters of the key, to tell keys apart.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the key was created.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the key was last used, to the minute; null before the first use.',
    }),
    lastUsedAddress: t.exposeString('lastUsedAddress', { nullable: true, description: 'IP address of that use.' }),
    scopes: t.expose('scopes', { type: [ApiKeyScope], description: 'What the key may do.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the key stops being good; null: never.',
    }),
  }),
});

const CreateApiKeyPayload = builder.objectRef<ApiKeyWithSecret>('CreateApiKeyPayload').implement({
  description: 'A new API key.',
  fields: (t) => ({
    apiKey: t.expose('apiKey', { type: ApiKeyType, description: 'The record of the key.' }),
    key: t.exposeString('key', {
      nullable: true,
      description: 'The key itself, shown this once; null in the answer to a repetition with the same Idempotency-Key.',
    }),
  }),
});

builder.queryFields((t) => ({
  apiKeys: t.field({
    scope: 'keys',
    type: [ApiKeyType],
    description: 'The API keys of the account, oldest first; at most 100.',
    resolve: (_root, _args, { deps, caller }) => deps.apiKeys.list(caller.account.id),
  }),
}));

builder.mutationFields((t) => ({
  createApiKey: t.field({
    scope: 'keys',
    type: CreateApiKeyPayload,
    nullable: true,
    description:
      'Creates an API key, which is shown once. Errors: BAD_USER_INPUT, also when the account has 100; FORBIDDEN for more powers than the key of the request has.',
    args: {
      name: t.arg.string({ required: true, description: 'Purpose of the key, 1 to 100 characters.' }),
      scopes: t.arg({
        type: [ApiKeyScope],
        description: 'Scopes of the key, at most those of the key of the request. Absent: the same.',
      }),
      expiresAt: t.arg({
        type: 'DateTime',
        description: 'When the key expires, at the latest with the key of the request. Absent: the same.',
      }),
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
    description: 'Deletes an API key, which fails within a second; also the key of the request. Errors: NOT_FOUND.',
    args: { id: t.arg.id({ required: true, description: 'Id of the key.' }) },
    resolve: async (_root, { id }, { deps, caller, keyFor }, info) => {
      await deps.commands.deleteApiKey(caller, knownId('key', id), await keyFor(info));
      return { id };
    },
  }),
}));
