import type { OpenApiDocument } from '../openapi/document.ts';

export interface DescribedAddress {
  /** As the description writes it, such as `/v1/uploads/{id}` */
  path: string;
  pattern: RegExp;
  /** Upper case, with HEAD beside GET */
  methods: string[];
  /** Of each of these methods */
  operationIds: Map<string, string>;
}

/** Finds the address of the description that a path belongs to; undefined where none does. */
export function describedAddresses({
  paths = {},
}: Pick<OpenApiDocument, 'paths'>): (path: string) => DescribedAddress | undefined {
  const addresses = Object.entries(paths)
    // What is written out comes before what stands for anything.
    .sort(([a], [b]) => Number(a.includes('{')) - Number(b.includes('{')))
    .map(([path, operations]) => toAddress(path, operations));
  return (path) => addresses.find(({ pattern }) => pattern.test(path));
}

function toAddress(path: string, operations: object): DescribedAddress {
  const operationIds = new Map(
    Object.entries(operations as Record<string, { operationId: string }>).map(
      ([method, { operationId }]) => [method.toUpperCase(), operationId] as const,
    ),
  );
  if (operationIds.has('GET')) operationIds.set('HEAD', operationIds.get('GET')!);
  return {
    path,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}/?$`),
    methods: [...operationIds.keys()].toSorted(),
    operationIds,
  };
}
