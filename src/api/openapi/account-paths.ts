import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { apiKeySchema, apiKeyWithSecretSchema, createApiKeyBody } from '../api-keys/api-key-operations.ts';
import { auditEntrySchema, listAuditQuery } from '../audit/audit-operations.ts';
import { creditsSchema, ledgerEntrySchema } from '../credits/credit-operations.ts';
import { pageQuery } from '../schemas/paging.ts';
import { settingsSchema } from '../settings/settings-operations.ts';
import { versionSchema } from '../health/version-operations.ts';
import {
  acceptedAnswer,
  answer,
  goneAnswer,
  idempotencyHeader,
  listAnswer,
  pageAnswer,
  problems,
} from './responses.ts';

const path = z.object({
  id: z.string().meta({ description: 'Id of the key', example: 'key_01jz8k3v5wq4m2n7p9r6s8t0xy' }),
});
const header = idempotencyHeader;

export const accountPaths: ZodOpenApiPathsObject = {
  '/v1/credits': {
    get: {
      operationId: 'getCredits',
      tags: ['Credits'],
      summary: 'Read the credits of this period',
      responses: { '200': answer('The balance. A period is a calendar month in UTC.', creditsSchema), ...problems() },
    },
  },
  '/v1/credits/entries': {
    get: {
      operationId: 'listCreditEntries',
      tags: ['Credits'],
      summary: 'List the entries of the ledger, newest first',
      requestParams: { query: pageQuery },
      responses: { '200': pageAnswer(ledgerEntrySchema), ...problems() },
    },
  },
  '/v1/api-keys': {
    post: {
      operationId: 'createApiKey',
      tags: ['Account'],
      summary: 'Make an API key',
      description: 'The key is shown once; a lost one is deleted and replaced.',
      requestParams: { header },
      requestBody: {
        required: true,
        content: { 'application/json': { schema: createApiKeyBody, example: { name: 'Production' } } },
      },
      responses: { '201': acceptedAnswer('The key.', apiKeyWithSecretSchema), ...problems('NOT_FOUND') },
    },
    get: {
      operationId: 'listApiKeys',
      tags: ['Account'],
      summary: 'List the API keys',
      responses: { '200': listAnswer(apiKeySchema), ...problems() },
    },
  },
  '/v1/api-keys/{id}': {
    get: {
      operationId: 'getApiKey',
      tags: ['Account'],
      summary: 'Read what is known of an API key',
      requestParams: { path },
      responses: { '200': answer('The key, without the key itself.', apiKeySchema), ...problems('NOT_FOUND') },
    },
    delete: {
      operationId: 'deleteApiKey',
      tags: ['Account'],
      summary: 'Delete an API key',
      description: 'It is refused from the next request on. A key may delete itself.',
      requestParams: { path, header },
      responses: { '204': goneAnswer('It is deleted.'), ...problems('NOT_FOUND') },
    },
  },
  '/v1/settings': {
    get: {
      operationId: 'getSettings',
      tags: ['Account'],
      summary: 'Read the settings of the account',
      responses: { '200': answer('The settings.', settingsSchema), ...problems() },
    },
    patch: {
      operationId: 'updateSettings',
      tags: ['Account'],
      summary: 'Change how long new uploads are kept',
      requestParams: { header },
      requestBody: {
        required: true,
        content: { 'application/json': { schema: settingsSchema, example: { uploadRetentionDays: 7 } } },
      },
      responses: { '200': answer('The settings as they now are.', settingsSchema), ...problems() },
    },
  },
  '/v1/audit': {
    get: {
      operationId: 'listAuditEntries',
      tags: ['Account'],
      summary: 'List who did what, newest first',
      description: 'Entries are only appended. They hold no secrets.',
      requestParams: { query: listAuditQuery },
      responses: { '200': pageAnswer(auditEntrySchema), ...problems() },
    },
  },
  '/v1/version': {
    get: {
      operationId: 'getVersion',
      tags: ['Account'],
      summary: 'Read the versions of Burnish and of its engine',
      responses: { '200': answer('The versions.', versionSchema), ...problems() },
    },
  },
};
