import type { OpenApiDocument } from '../openapi/document.ts';

export interface DescribedAddress {
  /** As the description writes it, such as `/v1/uploads/{id}` */
  path: string;
  pattern: RegExp;
  /** Upper case, with HEAD beside GET */
  methods: string[];
}

/** Finds the address of the description that a path belongs to; undefined where none does. */
export function describedAddresses({
  paths = {},
}: Pick<OpenApiDocument, 'paths'>): (path: string) => DescribedAddress | undefined {
  const addresses = Object.entries(paths)
    // What is written out comes before what stands for anything.
    .sort(([a], [b]) => Number(a.includes('{')) - Number(b.includes('{')))
    .map(([path, operations]) => toAddress(path, Object.keys(operations)));
  return (path) => addresses.find(({ pattern }) => pattern.test(path));
}

function toAddress(path: string, operations: string[]): DescribedAddress {
  const methods = operations.map((method) => method.toUpperCase());
  return {
    path,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}/?$`),
    methods: methods.includes('GET') ? ['HEAD', ...methods].toSorted() : methods.toSorted(),
  };
}
