import { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';

/**
 * `node --import scripts/strip-types.mjs`: runs the TypeScript of src/ and of packages in one process, or in one thread. It uses vite's
 * compiler, because tsx's compiler starts a process, which a sandbox forbids, and takes a thread three times as long to start.
 */
const vite = createRequire(import.meta.url).resolve('vite/package.json');
const packages = new URL('../packages/', import.meta.url).href;
const compiler = pathToFileURL(createRequire(vite).resolve('rolldown/utils')).href;

const hooks = `
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transformSync } from ${JSON.stringify(compiler)};

export async function resolve(specifier, context, next) {
  const [, ours, entry = 'index'] = /^@burnish\\/(\\w+)(?:\\/(\\w+))?$/.exec(specifier) ?? [];
  if (ours === undefined) return next(specifier, context);
  return { url: ${JSON.stringify(packages)} + ours + '/src/' + entry + '.ts', shortCircuit: true };
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const path = fileURLToPath(url);
  const { code, errors } = transformSync(path, readFileSync(path, 'utf8'));
  if (errors.length > 0) throw new SyntaxError(path + ': ' + errors[0].message);
  return { format: 'module', shortCircuit: true, source: code };
}
`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
