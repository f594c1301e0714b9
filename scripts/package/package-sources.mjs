import { join } from 'node:path';

const packages = join(import.meta.dirname, '..', '..', 'packages');

/**
 * Lets a bundler find the sources of a package by its name, as `tsconfig.json` lets the compiler: `@burnish/pdf`, or an entry of it such as
 * `@burnish/contract/schemas`.
 */
export const PACKAGE_SOURCES = [
  { find: /^@burnish\/(\w+)$/, replacement: join(packages, '$1', 'src', 'index.ts') },
  { find: /^@burnish\/(\w+)\/(\w+)$/, replacement: join(packages, '$1', 'src', '$2.ts') },
];
