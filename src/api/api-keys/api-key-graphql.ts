import { builder } from '../graphql/builder.ts';
import type { ApiKeyWithSecret } from './api-key-commands.ts';
import { ApiKeyScope } from '../graphql/enums.ts';
import { ApiKeyType } from '../graphql/record-types.ts';

ApiKeyType.implement({
  description: 'An API key of the account; the key itself is kept as a hash only.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier of the key, `key_…`; not the key itself.' }),
    name: t.exposeString('name', { description: 'What the key is for.' }),
    prefix: t.exposeString('prefix', { description: 'The first characters of the key, to tell keys apart.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the key was created.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the key was last used, to the minute; null when never.',
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

export const CreateApiKeyPayload = builder.objectRef<ApiKeyWithSecret>('CreateApiKeyPayload').implement({
  description: 'A new API key.',
  fields: (t) => ({
    apiKey: t.expose('apiKey', { type: ApiKeyType, description: 'The record of the key.' }),
    key: t.exposeString('key', {
      nullable: true,
      description: 'The key itself, shown this once; null in the answer to a repetition with the same Idempotency-Key.',
    }),
  }),
});
