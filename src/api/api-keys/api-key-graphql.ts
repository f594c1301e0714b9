import type { z } from 'zod';
import { builder } from '../graphql/builder.ts';
import { recordType, typeOf } from '../graphql/rest-types.ts';
import type { SchemaPart } from '../graphql/root-fields.ts';
import { apiKeySchema, apiKeyWithSecretSchema } from './api-key-schemas.ts';

const CreateApiKeyPayload = builder.objectRef<z.output<typeof apiKeyWithSecretSchema>>('CreateApiKeyPayload');

/** GraphQL shows the record of a new key beside the key itself. */
export const apiKeyParts: SchemaPart[] = [
  () =>
    typeOf(
      apiKeyWithSecretSchema,
      CreateApiKeyPayload.implement({
        restSchema: apiKeyWithSecretSchema,
        fields: (t) => ({
          apiKey: t.field({ type: recordType(apiKeySchema), description: 'Record of the key.', resolve: (key) => key }),
          key: t.exposeString('key', { nullable: true }),
        }),
      }),
    ),
];
