import type { z } from 'zod';
import type { ZodOpenApiRequestBodyObject } from 'zod-openapi';

/** Describes a JSON body. @param example undefined: none */
export function jsonRequestBody(schema: z.ZodType, example: unknown): ZodOpenApiRequestBodyObject {
  const content = { 'application/json': example === undefined ? { schema } : { schema, example } };
  return { required: !schema.safeParse(undefined).success, content };
}
