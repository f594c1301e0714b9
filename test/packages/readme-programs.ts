import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryRoot } from '../support/repository.ts';
import type { PublicPackage } from '../support/public-packages.ts';

/** A program of a README, by the name of its file there. */
export type Program = Readonly<{ name: string; code: string }>;

/** The programs of the README of a package, which are ES modules. */
export async function programsOf(name: PublicPackage): Promise<Program[]> {
  const readme = await readFile(join(repositoryRoot, 'packages', name, 'README.md'), 'utf8');
  return [...readme.matchAll(/```\w+ file=(\S+\.mjs)\n(.*?)```/gs)].map(([, file, code]) => ({
    name: file!,
    code: code!,
  }));
}

/**
 * The same program as CommonJS. One with `await` at its top becomes the function `main`, which runs at once where Node.js runs the file; a module
 * of tasks exports its names.
 */
export function asCommonJs({ name, code }: Program): Program {
  const required = code
    .replace(/^import (\{[^}]*\}|\w+) from '([^']+)';$/gm, "const $1 = require('$2');")
    .replace(/^export const (\w+)/gm, 'const $1 = exports.$1')
    .replace(/^export async function (\w+)/gm, 'exports.$1 = async function $1')
    .replaceAll('import.meta.url', "require('node:url').pathToFileURL(__filename)")
    .replaceAll(/'(\w+)\.mjs'/g, "'$1.cjs'");
  const file = name.replace(/mjs$/, 'cjs');
  if (!/^(?:await |\S.*\bawait )/m.test(required)) return { name: file, code: required };
  const main = `exports.main = async () => {\n${required}\n};\nif (require.main === module) exports.main();\n`;
  return { name: file, code: main };
}
