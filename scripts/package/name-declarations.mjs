import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Lets the declarations of a package import each other as compilers without our sources expect it.
 * @param {string} types
 */
export function nameDeclarations(types) {
  for (const name of readdirSync(types, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.d.ts')) continue;
    const path = join(types, name);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/(['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2'));
  }
}
