import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { SetupError } from './process.mjs';

/**
 * Compiles each file of src/ by itself into dist/, with a source map. Types are checked by `npm run types`: a check here takes four
 * times as long as all compiling.
 * @param {string} root the folder with tsconfig.json, src/ and dist/
 * @throws {SetupError} with the place of each fault of syntax
 */
export function compile(root) {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  // One file alone does not show the package.json from which `nodenext` learns that it is an ES module.
  const asModules = { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler };
  const compilerOptions = { ...options, ...asModules, sourceMap: true };
  for (const entry of readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })) {
    if (!entry.name.endsWith('.ts') || entry.name.endsWith('.d.ts')) continue;
    const source = relative(root, join(entry.parentPath, entry.name));
    const { outputText, sourceMapText, diagnostics } = ts.transpileModule(readFileSync(join(root, source), 'utf8'), {
      compilerOptions,
      fileName: source,
      reportDiagnostics: true,
    });
    if (diagnostics !== undefined && diagnostics.length > 0) throw new SetupError(describe(diagnostics, root));
    const target = join(root, 'dist', relative('src', source).replace(/ts$/, 'js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, outputText);
    const map = { ...JSON.parse(sourceMapText ?? '{}'), sourceRoot: pathToFileURL(`${root}/`).href, sources: [source] };
    writeFileSync(`${target}.map`, JSON.stringify(map));
  }
}

/**
 * @param {readonly ts.Diagnostic[]} diagnostics
 * @param {string} root
 */
function describe(diagnostics, root) {
  const format = { getCurrentDirectory: () => root, getCanonicalFileName: String, getNewLine: () => '\n' };
  return `A source does not compile.\n${ts.formatDiagnostics(diagnostics, format).trimEnd()}`;
}
