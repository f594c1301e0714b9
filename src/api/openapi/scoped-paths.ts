import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { scopeOf } from '../scopes.ts';
import { problems } from './responses.ts';

/** Adds to each operation that needs a key which scope the key has to have, and the refusal of one that has it not. */
export function scopedPaths(paths: ZodOpenApiPathsObject): ZodOpenApiPathsObject {
  return Object.fromEntries(
    Object.entries(paths).map(([path, operations]) => [
      path,
      path.startsWith('/v1/')
        ? Object.fromEntries(
            Object.entries(operations as Record<string, ZodOpenApiOperationObject>).map(([method, operation]) => [
              method,
              scoped(operation),
            ]),
          )
        : operations,
    ]),
  );
}

function scoped(operation: ZodOpenApiOperationObject): ZodOpenApiOperationObject {
  const scope = scopeOf('REST', operation.operationId!);
  const needs = `Needs the scope \`${scope}\`.`;
  const { '403': forbidden } = problems('FORBIDDEN');
  return {
    ...operation,
    description: operation.description === undefined ? needs : `${operation.description} ${needs}`,
    'x-scope': scope,
    responses: { '403': forbidden!, ...operation.responses },
  };
}
