import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SetupError, run } from '../process.mjs';

/**
 * Adds to the modules of a package their types, in `dist/types`.
 * @param {string} root
 * @param {string} folder of the package, with its tsconfig.types.json
 */
export async function addTypes(root, folder) {
  const tsc = fileURLToPath(import.meta.resolve('typescript/bin/tsc'));
  const result = await run(process.execPath, [tsc, '-p', join(folder, 'tsconfig.types.json')], { cwd: root });
  if (result.code !== 0) throw new SetupError('The TypeScript compiler refused the package; its reasons are above.');
  nameDeclarations(join(folder, 'dist', 'types'));
}

/**
 * Lets the declarations of a package import each other as compilers without our sources expect it: those of other packages of the clone,
 * which are among them, by their paths. Each declares a CommonJS module, so its name ends with `.d.cts`.
 * @param {string} types
 */
function nameDeclarations(types) {
  for (const name of readdirSync(types, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.d.ts')) continue;
    const path = join(types, name);
    const named = readFileSync(path, 'utf8')
      .replace(/(['"])@burnish\/(\w+)(?:\/(\w+))?(['"])/g, (_, open, ours, entry = 'index', close) => {
        const target = relative(dirname(path), join(types, 'packages', ours, 'src', `${entry}.ts`));
        return `${open}${target.replaceAll('\\', '/')}${close}`;
      })
      .replace(/(['"]\.[^'"]*)\.ts(['"])/g, '$1.cjs$2');
    writeFileSync(path.replace(/ts$/, 'cts'), named);
    rmSync(path);
  }
}
