import type { ZodOpenApiHeadersObject } from 'zod-openapi';

/** Response headers of many operations. The OpenAPI document describes each of them once. */
export const SHARED_HEADERS = {
  'X-Request-Id': { description: 'Id of this request', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' } },
  'RateLimit-Policy': {
    description: 'Rate limit (draft-ietf-httpapi-ratelimit-headers-08): `q` requests in each window of `w` seconds.',
    schema: { type: 'string', examples: ['"account"; q=6000; w=60; pk=:ZTNiMGM0NDI5OGZj:'] },
  },
  RateLimit: {
    description: 'Remaining rate limit: `r` requests in the next `t` seconds.',
    schema: { type: 'string', examples: ['"account"; r=5999; t=60'] },
  },
  Location: { description: 'URL of the record', schema: { type: 'string' } },
  'Preference-Applied': { description: 'Applied preference, such as `wait=30`', schema: { type: 'string' } },
  'Idempotent-Replayed': {
    description: '`true`: an equal request with this `Idempotency-Key` came before.',
    schema: { type: 'string', enum: ['true'] },
  },
} satisfies ZodOpenApiHeadersObject;

/** References to shared headers. */
export function sharedHeaders(...names: (keyof typeof SHARED_HEADERS)[]): ZodOpenApiHeadersObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export const requestIdHeader = sharedHeaders('X-Request-Id');
