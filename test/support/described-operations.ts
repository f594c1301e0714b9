import { createRequire } from 'node:module';

/** What `/openapi.json` says of an operation, as far as tests read it. */
interface DescribedOperation {
  operationId: string;
  parameters?: { in: string; name: string; schema: { type?: string; example?: string } }[];
  requestBody?: { content: Record<string, { example?: unknown }> };
  security?: unknown[];
  responses: Record<string, { description: string }>;
}

interface Description {
  paths: Record<string, Record<string, DescribedOperation>>;
  components: Record<string, Record<string, object>>;
}

// Test files of a process share it.
const { paths, components } = createRequire(import.meta.url)('../../docs/api/openapi.json') as Description;

/** A parameter or a response, where the description refers to it. Schemas keep their references. */
function resolve<Part extends object>(part: Part): Part {
  const [, section, name] =
    /^#\/components\/(parameters|responses)\/(.+)$/.exec(('$ref' in part && String(part.$ref)) || '') ?? [];
  return section === undefined ? part : (components[section]![name!] as Part);
}

/** The operations of `/openapi.json` by path and method, without references to parameters and responses. */
export const describedPaths = Object.fromEntries(
  Object.entries(paths).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => {
        const responses = Object.entries(operation.responses).map(([status, each]) => [status, resolve(each)]);
        const parameters = operation.parameters?.map(resolve);
        return [method, { ...operation, parameters, responses: Object.fromEntries(responses) }];
      }),
    ),
  ]),
) as Description['paths'];

const addresses = Object.entries(describedPaths)
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
