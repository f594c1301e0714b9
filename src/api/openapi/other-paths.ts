import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { healthSchema, readinessSchema } from '../health.ts';
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
        'Addresses come as `url` and `fullUrl` of records and are not made by hand. A single range of bytes can be asked for.',
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
        '403': refused('The address has expired, or was never handed out.'),
        '404': refused('The file has been deleted.'),
        '416': refused('The range lies outside of the file.'),
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
};
