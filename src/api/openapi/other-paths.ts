import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { healthSchema, readinessSchema } from '../health/health-operations.ts';
import { refused } from './responses.ts';

const withoutKey = { security: [] };
const json = (description: string, schema: z.ZodType) => ({ description, content: { 'application/json': { schema } } });

export const otherPaths: ZodOpenApiPathsObject = {
  '/files/{id}/{filename}': {
    get: {
      ...withoutKey,
      operationId: 'downloadFile',
      tags: ['Files'],
      summary: 'Download a file by its signed address',
      description:
        'Addresses come as `url` and `fullUrl` of records and are not made by hand. A single range of bytes can be asked for. Browsers may read from any page.',
      requestParams: {
        path: z.object({ id: z.string(), filename: z.string() }),
        query: z.object({ token: z.string().meta({ description: 'Signature, valid for 24 hours' }) }),
        header: z.object({ Range: z.string().optional().meta({ example: 'bytes=0-1023' }) }),
      },
      responses: {
        '200': {
          description: 'The file.',
          content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
        },
        '206': {
          description: 'The range.',
          content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
        },
        '304': { description: 'The file is the one that `If-None-Match` names.' },
        '403': refused('The address has expired (`SIGNED_URL_EXPIRED`), or was never handed out.'),
        '404': refused('The file has been deleted.'),
        '416': refused('The range lies outside of the file.'),
      },
    },
    options: {
      ...withoutKey,
      operationId: 'allowDownloadFile',
      tags: ['Files'],
      summary: 'What a browser asks before it reads a range of a file',
      requestParams: { path: z.object({ id: z.string(), filename: z.string() }) },
      responses: { '204': { description: 'It may, from any page.' } },
    },
  },
  '/webhooks/hosted/{token}': {
    post: {
      ...withoutKey,
      operationId: 'receiveHostedEvent',
      tags: ['Webhooks'],
      summary: 'Take an event of the hosted service that this instance uses',
      description:
        'For the hosted service alone, where the instance has one. The event wakes whoever waits for it; what it says is read from the service again. Where a secret is set, the body has to be signed: as hex HMAC-SHA256 in the configured header, or as Standard Webhooks.',
      requestParams: { path: z.object({ token: z.string().meta({ description: 'As configured' }) }) },
      requestBody: { content: { 'application/json': { schema: z.looseObject({}) } } },
      responses: {
        '204': { description: 'Taken, known or not; also when it has been taken before.' },
        '400': refused('The body is no JSON object.'),
        '403': refused('The signature is missing or not valid.'),
        '404': refused('There is no such address.'),
        '503': refused('It cannot be handed on now; send it again.'),
      },
    },
  },
  '/healthz': {
    get: {
      ...withoutKey,
      operationId: 'getHealth',
      tags: ['Health'],
      summary: 'Whether the process answers',
      responses: { '200': json('It does.', healthSchema) },
    },
  },
  '/readyz': {
    get: {
      ...withoutKey,
      operationId: 'getReadiness',
      tags: ['Health'],
      summary: 'Whether requests are served and workers poll',
      responses: { '200': json('Ready.', readinessSchema), '503': json('Not ready, and why.', readinessSchema) },
    },
  },
  '/metrics': {
    get: {
      ...withoutKey,
      operationId: 'getMetrics',
      tags: ['Health'],
      summary: 'Figures for Prometheus',
      description: 'For programs on the same machine; where a token is set, for whoever bears it in `Authorization`.',
      responses: {
        '200': { description: 'The figures.', content: { 'text/plain': { schema: { type: 'string' } } } },
        '403': refused('They are not for you.'),
      },
    },
  },
};
