import { createRequire } from 'node:module';

// Test files of a process share it.
const { paths } = createRequire(import.meta.url)('../../../docs/api/openapi.json') as {
  paths: Record<string, Record<string, { responses?: Record<string, unknown> }>>;
};
const operations = Object.entries(paths)
  .map(([template, methods]) => ({
    pattern: new RegExp(`^${template.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
    parameters: template.split('{').length,
    methods,
  }))
  // `/v1/uploads/signed` also fits `/v1/uploads/{id}`.
  .sort((one, other) => one.parameters - other.parameters);

/**
 * Checks that the description of the interface names the status of an answer.
 * @throws Error with the missing status; no error for a path or a method without an operation
 */
export function assertDocumented(method: string, path: string, status: number): void {
  const pathname = path.replace(/[?#].*$/, '');
  const operation = operations.find(({ pattern }) => pattern.test(pathname))?.methods[method.toLowerCase()];
  if (operation?.responses === undefined || String(status) in operation.responses) return;
  throw new Error(`/openapi.json names no ${status} for ${method} ${pathname}.`);
}
