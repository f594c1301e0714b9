import { z } from 'zod';
import { MAX_API_KEYS } from '@burnish/contract';
import type { ApiKey } from '../../database/accounts/api-keys.ts';
import { apiKeyScope } from '../schemas/enums.ts';
import { isPlainText, recordId } from '../schemas/fields.ts';
import { zonedTime } from '../schemas/moment.ts';
import { shortListQuery } from '../schemas/paging.ts';

/** Maximum length of a key's name, in UTF-16 units. */
export const MAX_KEY_NAME_LENGTH = 100;

const scopes = z.array(apiKeyScope.schema).meta({
  description: 'Scopes of the key.',
  example: ['read', 'uploads'],
});
const wantedPowers = {
  scopes: scopes
    .min(1)
    .max(20)
    .optional()
    .meta({ description: 'Scopes of the key, at most the scopes of the requesting key. Absent: the same scopes.' }),
  expiresAt: zonedTime.nullable().optional().meta({
    description:
      'Expiry of the key, at most the expiry of the requesting key. Absent: the same expiry.\n\nNull: never.',
    example: '2030-01-31T00:00:00.000Z',
  }),
};

export const createApiKeyBody = z
  .strictObject({
    name: z
      .string()
      .min(1)
      .max(MAX_KEY_NAME_LENGTH)
      .refine((text) => isPlainText(text) && text.trim() !== '', 'expected text without control characters')
      .meta({ description: `Purpose of the key, 1 to ${MAX_KEY_NAME_LENGTH} characters.`, example: 'Production' }),
    ...wantedPowers,
    test: z.boolean().optional().meta({
      description:
        '`true`: a test key. Its work is free and separate, and references such as `test:CORRUPT_FILE` cause outcomes. A test key creates test keys only.',
    }),
  })
  .meta({ id: 'CreateApiKey', description: `An account has at most ${MAX_API_KEYS} keys.` });

export const listApiKeysQuery = shortListQuery.extend({
  includeInternal: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .meta({
      description: '`true` also lists the keys that Burnish created for itself.',
      override: { type: 'boolean', enum: undefined, default: false },
    }),
});

const shape = {
  id: recordId('key'),
  name: z.string().meta({ description: 'Purpose of the key.' }),
  prefix: z.string().meta({ description: 'First characters of the key, which identify it.', example: 'bk_4Jx9Q' }),
  createdAt: z.iso.datetime().meta({ description: 'Time of creation.' }),
  lastUsedAt: z.iso
    .datetime()
    .nullable()
    .meta({ description: 'Last use of the key, to the minute. Null before the first use.' }),
  lastUsedAddress: z
    .string()
    .nullable()
    .meta({ description: 'IP address of the last use. Null before the first use.', example: '203.0.113.7' }),
  scopes,
  expiresAt: z.iso.datetime().nullable().meta({ description: 'Expiry of the key. Null: never.' }),
  internal: z.boolean().meta({
    description: 'True for a key that Burnish created for itself: for sign-in links, or for commands on its machine.',
  }),
  test: z.boolean().meta({ description: 'True for a test key.' }),
};
export const apiKeySchema = z
  .object(shape)
  .meta({ id: 'ApiKey', description: 'An API key of the account. Burnish stores only a hash of the key itself.' });
export const apiKeyWithSecretSchema = z
  .object({
    ...shape,
    key: z.string().nullable().meta({
      description:
        'The key itself, shown once. Null in the response to a repeated request with the same `Idempotency-Key`.',
      example: 'bk_4Jx9QYtV0mB7cZr2nKd8sLw5aHfGp3uEoXiT1yRq6Nj',
    }),
  })
  .meta({ id: 'ApiKeyWithSecret', description: 'A new API key.' });
export type ApiKeyRepresentation = z.infer<typeof apiKeySchema>;

export function representApiKey(key: ApiKey): ApiKeyRepresentation {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    createdAt: key.createdAt,
    lastUsedAt: key.lastUsedAt,
    lastUsedAddress: key.lastUsedAddress,
    scopes: key.scopes,
    expiresAt: key.expiresAt,
    internal: key.internal,
    test: key.test,
  };
}
