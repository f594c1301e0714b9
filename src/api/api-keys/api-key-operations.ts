import { Router } from 'express';
import { z } from 'zod';
import { MAX_API_KEYS } from '../../domain/accounts/account.ts';
import { SCOPE_WORDS, SCOPES } from '../../domain/accounts/scopes.ts';
import type { ApiKeyRepresentation, ApiKeyWithSecretRepresentation } from '../../domain/representations/account.ts';
import { MAX_KEY_NAME_LENGTH } from './api-key-commands.ts';
import { isPlainText } from '../schemas/filenames.ts';
import { found } from '../commands/require-record.ts';
import type { ApiKey } from '../ports.ts';
import { callerOf } from '../http/request-context.ts';
import type { RestDeps } from '../rest/rest-deps.ts';
import { noQuery } from '../uploads/upload-requests.ts';
import { created, fresh, gone, idempotencyKeyOf, jsonBody, page, parse, wholeList } from '../rest/respond.ts';
import { wellFormedId } from '../rest/well-formed-id.ts';

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
    .meta({ description: 'What the key may do, at most what the one may that asks. Absent: the same.' }),
  expiresAt: expiresAt.optional().meta({
    description:
      'When the key stops being good, at the latest when the one does that asks. Absent: the same; null: never.',
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
      .meta({ description: 'What the key is for.', example: 'Production' }),
    ...wantedPowers,
  })
  .meta({ id: 'CreateApiKey', description: `An account has at most ${MAX_API_KEYS} keys.` });

const shape = {
  id: z.string().meta({ example: 'key_01jz8k3v5wq4m2n7p9r6s8t0xy' }),
  name: z.string(),
  prefix: z.string().meta({ description: 'The first characters of the key.', example: 'bk_4Jx9Q' }),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().nullable().meta({ description: 'To the minute; null when it has not been used.' }),
  lastUsedAddress: z.string().nullable().meta({ description: 'IP address of that use.', example: '203.0.113.7' }),
  scopes,
  expiresAt: expiresAt.meta({ description: 'When the key stops being good; null: never.' }),
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

const represent = (key: ApiKey): ApiKeyRepresentation => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  createdAt: key.createdAt,
  lastUsedAt: key.lastUsedAt,
  lastUsedAddress: key.lastUsedAddress,
  scopes: key.scopes,
  expiresAt: key.expiresAt,
});

/** `/v1/api-keys`: the keys of the account. */
export function apiKeyRoutes({ commands, apiKeys }: RestDeps): Router {
  const router = Router();
  router.param('id', wellFormedId('key'));

  router.post('/', jsonBody, async (req, res) => {
    parse(noQuery, req.query);
    const wanted = parse(createApiKeyBody, req.body);
    const { apiKey, key } = await commands.createApiKey(callerOf(res), wanted, idempotencyKeyOf(req));
    const body: ApiKeyWithSecretRepresentation = { ...represent(apiKey), key };
    created(res, `/v1/api-keys/${apiKey.id}`, body);
  });

  router.get('/', async (req, res) => {
    parse(noQuery, req.query);
    page(req, res, wholeList(await apiKeys.list(callerOf(res).account.id)), represent);
  });

  router.get('/:id', async (req, res) => {
    parse(noQuery, req.query);
    fresh(res, represent(found(await apiKeys.get(callerOf(res).account.id, req.params.id))));
  });

  router.delete('/:id', async (req, res) => {
    parse(noQuery, req.query);
    await commands.deleteApiKey(callerOf(res), req.params.id, idempotencyKeyOf(req));
    gone(res);
  });

  return router;
}
