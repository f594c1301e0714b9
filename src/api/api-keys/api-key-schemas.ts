import { z } from 'zod';
import type { ApiKey } from '../../database/accounts/api-keys.ts';
import { MAX_API_KEYS } from '../../domain/accounts/account.ts';
import { SCOPE_WORDS, SCOPES } from '../../domain/accounts/scopes.ts';
import type { ApiKeyRepresentation } from '../../domain/representations/account.ts';
import { isPlainText, recordId } from '../schemas/fields.ts';

/** Maximum length of a key's name, in UTF-16 units. */
export const MAX_KEY_NAME_LENGTH = 100;

const scopes = z.array(z.enum(SCOPES)).meta({
  description: SCOPES.map((scope) => `\`${scope}\`: ${SCOPE_WORDS[scope]}.`).join(' '),
  example: ['read', 'uploads'],
});
const expiresAt = z.iso.datetime({ offset: true }).nullable();
const wantedPowers = {
  scopes: scopes
    .min(1)
    .max(20)
    .optional()
    .meta({ description: 'Scopes of the key, at most those of the key of the request. Absent: the same.' }),
  expiresAt: expiresAt.optional().meta({
    description: 'When the key expires, at the latest with the key of the request. Absent: the same; null: never.',
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
      .meta({ description: 'Purpose of the key.', example: 'Production' }),
    ...wantedPowers,
  })
  .meta({ id: 'CreateApiKey', description: `An account has at most ${MAX_API_KEYS} keys.` });

const shape = {
  id: recordId('key'),
  name: z.string(),
  prefix: z.string().meta({ description: 'The first characters of the key.', example: 'bk_4Jx9Q' }),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().nullable().meta({ description: 'To the minute. Null before the first use.' }),
  lastUsedAddress: z.string().nullable().meta({ description: 'IP address of that use.', example: '203.0.113.7' }),
  scopes,
  expiresAt: expiresAt.meta({ description: 'When the key expires; null: never.' }),
};
export const apiKeySchema = z.object(shape).meta({ id: 'ApiKey' });
export const apiKeyWithSecretSchema = z
  .object({
    ...shape,
    key: z.string().nullable().meta({
      description:
        'The key itself. Shown this once: null when the same request is repeated under its `Idempotency-Key`.',
      example: 'bk_4Jx9QYtV0mB7cZr2nKd8sLw5aHfGp3uEoXiT1yRq6Nj',
    }),
  })
  .meta({ id: 'ApiKeyWithSecret' });

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
  };
}
