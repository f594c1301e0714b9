import { createRequire } from 'node:module';

/** What `/openapi.json` says of an operation, as far as tests read it. */
interface DescribedOperation {
  operationId?: string;
  parameters?: { in: string; name: string }[];
  responses: Record<string, unknown>;
}

// Test files of a process share it.
const { paths } = createRequire(import.meta.url)('../../docs/api/openapi.json') as {
  paths: Record<string, Record<string, DescribedOperation>>;
};
const addresses = Object.entries(paths)
  .map(([path, methods]) => ({
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
    parameters: path.split('{').length,
    methods,
  }))
  // `/v1/uploads/signed` also fits `/v1/uploads/{id}`.
  .sort((one, other) => one.parameters - other.parameters);

/** @returns undefined for a path or a method without an operation */
export const findOperation = (method: string, pathname: string): DescribedOperation | undefined =>
  addresses.find(({ pattern }) => pattern.test(pathname))?.methods[method.toLowerCase()];

/**
 * Checks that the description of the interface names the status of an answer.
 * @throws Error with the missing status; no error for a path or a method without an operation
 */
export function assertDocumented(method: string, path: string, status: number): void {
  const pathname = path.replace(/[?#].*$/, '');
  const operation = findOperation(method, pathname);
  if (operation === undefined || String(status) in operation.responses) return;
  throw new Error(`/openapi.json names no ${status} for ${method} ${pathname}.`);
}
