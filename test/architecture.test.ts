import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { type ICruiseOptions, type ICruiseResult, type IForbiddenRuleType, cruise } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { ESLint } from 'eslint';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { repositoryRoot } from './support/repository.ts';
import { temporaryFolder, type TemporaryFolder } from './support/temporary-folder.ts';

const rules = (await import(join(repositoryRoot, '.dependency-cruiser.mjs'))) as {
  MODULES: Record<string, string[]>;
  PACKAGES: Record<string, string[]>;
  API_ORDER: string[];
  TEST_ACCOUNTS: Record<string, string[]>;
  default: { forbidden: IForbiddenRuleType[]; options: ICruiseOptions };
};
const { compilerOptions } = JSON.parse(await readFile(join(repositoryRoot, 'tsconfig.json'), 'utf8')) as {
  compilerOptions: { paths: Record<string, string[]> };
};

/** Writes files, given as path and content. @returns each violation as `rule: from → to`; `npm run lint` checks src itself */
async function violationsOf(files: Record<string, string>): Promise<string[]> {
  await using folder = await temporaryFolder();
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder.path, path)), { recursive: true });
    await writeFile(join(folder.path, path), content);
  }
  const fileName = join(folder.path, 'tsconfig.json');
  // Paths without a base start at the working directory.
  await writeFile(fileName, JSON.stringify({ compilerOptions: { baseUrl: '.', paths: compilerOptions.paths } }));
  const { forbidden, options } = rules.default;
  const own = {
    ...options,
    tsConfig: { fileName },
    baseDir: folder.path,
    validate: true,
    ruleSet: { forbidden },
  };
  const folders = [...new Set(Object.keys(files).map((path) => path.split('/')[0]!))];
  const { output } = await cruise(folders, own, undefined, { tsConfig: extractTSConfig(fileName) });
  const found = (output as ICruiseResult).summary.violations;
  return found.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`).sort();
}

const imports = (path: string): string => `import { x } from '${path}';\nexport const y = x;\n`;
const importsType = (path: string): string => `import type { X } from '${path}';\nexport const y = (x: X) => x;\n`;
const leaf = 'export const x = 1;\nexport type X = number;\n';

/** A tree in which each module imports a value and a type of each module, and two files of the composition root. */
function everyImport(): Record<string, string> {
  const files: Record<string, string> = { 'src/runtime/config.ts': leaf, 'src/runtime/worker.ts': leaf };
  const names = Object.keys(rules.MODULES);
  for (const module of names) {
    files[`src/${module}/leaf.ts`] = leaf;
    for (const name of ['config', 'worker']) files[`src/${module}/of-${name}.ts`] = imports(`../runtime/${name}.ts`);
    for (const other of names) {
      files[`src/${module}/of-${other}.ts`] = imports(`../${other}/leaf.ts`);
      files[`src/${module}/type-of-${other}.ts`] = importsType(`../${other}/leaf.ts`);
    }
  }
  return files;
}

describe('the modules of src/', () => {
  let found: string[] = [];
  beforeAll(async () => {
    found = await violationsOf(everyImport());
  });
  /** Whether lint refuses even a type of the other module. */
  const refusesTypes = (module: string, other: string): boolean =>
    found.some((each) => each.includes(`: src/${module}/type-of-${other}.ts → `));

  test.each(Object.entries(rules.MODULES))(
    'cannot import internals of another module: lint refuses %s',
    (module, open) => {
      const expected = ['config', 'worker'].map(
        (name) => `${module}-imports: src/${module}/of-${name}.ts → src/runtime/${name}.ts`,
      );
      for (const other of Object.keys(rules.MODULES)) {
        if (other === module || open.includes(other)) continue;
        const rule = refusesTypes(module, other) ? `${module}-imports` : `${module}-imports-types-of-${other}`;
        expected.push(`${rule}: src/${module}/of-${other}.ts → src/${other}/leaf.ts`);
      }
      expect(found.filter((each) => each.includes(`: src/${module}/of-`))).toEqual(expected.sort());
    },
  );

  test('share only types between activities, workflows, net, api and nexus as the table says', () => {
    const shared: string[] = [];
    for (const [module, open] of Object.entries(rules.MODULES)) {
      for (const other of Object.keys(rules.MODULES)) {
        if (other === module || open.includes(other)) continue;
        if (!refusesTypes(module, other)) shared.push(`${module} → ${other}`);
      }
    }
    expect(shared).toEqual(['workflows → activities', 'api → net', 'api → workflows', 'nexus → workflows']);
  });

  test('know of test accounts by the named plug points alone', async () => {
    const files: Record<string, string> = { 'src/runtime/other.ts': imports('../test-accounts/inner.ts') };
    const open = rules.TEST_ACCOUNTS;
    for (const name of ['inner', ...Object.values(open).flat()]) files[`src/test-accounts/${name}.ts`] = leaf;
    const points = Object.values(open).flat();
    for (const module of [...Object.keys(rules.MODULES), 'runtime'].filter((name) => name !== 'test-accounts'))
      for (const name of points) files[`src/${module}/of-${name}.ts`] = imports(`../test-accounts/${name}.ts`);
    const refused = (await violationsOf(files)).filter((each) => each.includes('→ src/test-accounts/'));
    const allowed = Object.entries(open).flatMap(([module, names]) =>
      names.map((name) => `src/${module}/of-${name}.ts`),
    );
    for (const file of allowed) expect(refused.join()).not.toContain(file);
    expect(refused).toHaveLength(Object.keys(files).length - 1 - points.length - allowed.length);
  });

  test('may use the contract wherever they may use domain, and it uses nothing', async () => {
    const files = {
      'packages/contract/src/index.ts': leaf,
      'packages/contract/src/leaf.ts': leaf,
      'packages/contract/src/engine.ts': "export * from './engine/leaf.ts';\n",
      'packages/contract/src/engine/leaf.ts': leaf,
      'packages/contract/src/engine/bad.ts': importsType('../leaf.ts'),
      'packages/contract/src/schemas.ts': leaf,
      'packages/contract/src/bad.ts': importsType('../../../src/domain/leaf.ts'),
      'packages/contract/src/worse.ts': imports('./schemas.ts'),
      'packages/contract/src/worst.ts': "import { join } from 'node:path';\nexport const y = join('a', 'b');\n",
      'packages/engine/src/host.ts': leaf,
      'packages/engine/src/good.ts': imports('@burnish/contract/engine'),
      'packages/engine/src/bad.ts': importsType('@burnish/contract'),
      'packages/dashboard/src/bad.ts': imports('@burnish/contract/schemas'),
      'packages/client/src/bad.ts': imports('@burnish/contract/schemas'),
      'src/domain/leaf.ts': leaf,
      'src/domain/good.ts': imports('@burnish/contract'),
      'src/domain/bad.ts': importsType('@burnish/engine/host'),
      'src/workflows/good.ts': imports('@burnish/contract'),
      'src/workflows/bad.ts': imports('../../packages/contract/src/leaf.ts'),
      'src/workflows/worse.ts': imports('@burnish/contract/schemas'),
      'src/process/bad.ts': imports('@burnish/contract'),
      'src/runtime/config.ts': imports('@burnish/engine/host'),
    };
    expect(await violationsOf(files)).toEqual([
      'client-alone: packages/client/src/bad.ts → packages/contract/src/schemas.ts',
      'config-imports: src/runtime/config.ts → packages/engine/src/host.ts',
      'contract-beside-domain: src/process/bad.ts → packages/contract/src/index.ts',
      'engine-in-sandbox-and-activities-and-runtime-and-cli: src/domain/bad.ts → packages/engine/src/host.ts',
      'engine-vocabulary-alone: packages/contract/src/engine/bad.ts → packages/contract/src/leaf.ts',
      'package-contract-imports: packages/contract/src/bad.ts → src/domain/leaf.ts',
      'package-dashboard-imports: packages/dashboard/src/bad.ts → packages/contract/src/schemas.ts',
      'package-engine-imports: packages/engine/src/bad.ts → packages/contract/src/index.ts',
      'packages-by-name: src/workflows/bad.ts → packages/contract/src/leaf.ts',
      'sandboxed: packages/contract/src/worst.ts → path',
      'vocabulary-alone: packages/contract/src/worse.ts → packages/contract/src/schemas.ts',
      'workflows-without-schemas: src/workflows/worse.ts → packages/contract/src/schemas.ts',
    ]);
  });

  test('have no cycles, not even of types', async () => {
    const files = { 'src/net/a.ts': importsType('./b.ts'), 'src/net/b.ts': importsType('./a.ts') };
    expect(await violationsOf(files)).toContain('no-cycles: src/net/a.ts → src/net/b.ts');
  });

  test('keep Node.js out of the workflow sandbox', async () => {
    const files = {
      'src/domain/bad.ts': "import { join } from 'node:path';\nexport const y = join('a', 'b');\n",
      'src/workflows/bad.ts': "import { join } from 'node:path';\nexport const y = join('a', 'b');\n",
    };
    expect(await violationsOf(files)).toEqual([
      'sandboxed: src/domain/bad.ts → path',
      'sandboxed: src/workflows/bad.ts → path',
    ]);
  });

  test('are all in the table', async () => {
    const files = {
      'src/domain/leaf.ts': leaf,
      'src/utils/bad.ts': imports('../domain/leaf.ts'),
      'packages/utils/src/bad.ts': imports('../../../src/domain/leaf.ts'),
    };
    expect(await violationsOf(files)).toEqual([
      'known-modules: packages/utils/src/bad.ts → src/domain/leaf.ts',
      'known-modules: src/utils/bad.ts → src/domain/leaf.ts',
    ]);
  });
});

describe('the folders of src/api', () => {
  /** Imports of other folders, as `from → to`. */
  const arrows: string[] = [];
  const api = join(repositoryRoot, 'src/api');
  const folderOf = (path: string): string => (path.includes('/') ? path.split('/')[0]! : '.');
  beforeAll(async () => {
    for (const path of (await readdir(api, { recursive: true })).filter((name) => name.endsWith('.ts'))) {
      const { importedFiles } = ts.preProcessFile(await readFile(join(api, path), 'utf8'), true, true);
      for (const { fileName } of importedFiles) {
        const target = relative(api, resolve(api, path, '..', fileName));
        if (!fileName.startsWith('.') || target.startsWith('..') || folderOf(target) === folderOf(path)) continue;
        arrows.push(`${path} → ${target}`);
      }
    }
  });

  test('are all in the order', async () => {
    const entries = await readdir(api, { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect([...rules.API_ORDER].sort()).toEqual(['.', ...folders].sort());
  });

  test('import those before them, and few others', () => {
    const place = (path: string): number => rules.API_ORDER.indexOf(folderOf(path));
    const back = arrows.filter((arrow) => {
      const [from, to] = arrow.split(' → ') as [string, string];
      return place(from) < place(to);
    });
    expect(arrows.length).toBeGreaterThan(400);
    expect(back.sort()).toEqual([
      'enhancements/enhancement-commands.ts → uploads/check-order.ts',
      'enhancements/enhancement-commands.ts → uploads/start-upload.ts',
      'enhancements/enhancement-commands.ts → uploads/upload-commands.ts',
      'enhancements/enhancement-graphql.ts → uploads/upload-schemas.ts',
      'enhancements/read-orders.ts → uploads/check-order.ts',
      'openapi/document.ts → operations.ts',
    ]);
  });
});

describe('the packages', () => {
  test.each(Object.keys(rules.PACKAGES))('cannot import the service: lint refuses %s', async (name) => {
    const files: Record<string, string> = {};
    for (const module of [...Object.keys(rules.MODULES), 'cli', 'runtime']) {
      files[`src/${module}/leaf.ts`] = leaf;
      files[`packages/${name}/src/of-${module}.ts`] = importsType(`../../../src/${module}/leaf.ts`);
    }
    const refused = Object.keys(files).filter((path) => path.startsWith('src/'));
    const expected = refused.map(
      (path) => `package-${name}-imports: packages/${name}/src/of-${path.split('/')[1]}.ts → ${path}`,
    );
    expect(await violationsOf(files)).toEqual(expected.sort());
  });

  test('import nothing of the service, in sources and in tests', async () => {
    const names = await readdir(join(repositoryRoot, 'packages'), { recursive: true });
    const paths = names.filter((name) => /\.[cm]?[jt]sx?$/.test(name) && !/(^|\/)(dist|node_modules)\//.test(name));
    const found: string[] = [];
    for (const path of paths.map((name) => join(repositoryRoot, 'packages', name)))
      for (const { fileName } of ts.preProcessFile(await readFile(path, 'utf8'), true, true).importedFiles)
        if (fileName.startsWith('.') && relative(join(repositoryRoot, 'src'), resolve(path, '..', fileName))[0] !== '.')
          found.push(`${relative(repositoryRoot, path)} → ${fileName}`);
    expect(paths.length).toBeGreaterThan(300);
    expect(found).toEqual([]);
  });

  test('are imported by their name, each by few modules of the service and by other packages', async () => {
    const files = {
      'packages/client/src/index.ts': leaf,
      'packages/client/src/inside.ts': leaf,
      'src/cli/good.ts': imports('@burnish/client'),
      'src/cli/bad.ts': imports('../../packages/client/src/inside.ts'),
      'src/api/bad.ts': importsType('@burnish/client'),
      'packages/jail/src/index.ts': leaf,
      'packages/pdf/src/index.ts': leaf,
      'packages/engine/src/host.ts': leaf,
      'packages/engine/src/good.ts': imports('@burnish/pdf'),
      'packages/engine/src/type-of-jail.ts': importsType('@burnish/jail'),
      'packages/engine/src/bad.ts': imports('@burnish/jail'),
      'src/sandbox/good.ts': imports('@burnish/engine/host'),
      'src/activities/bad.ts': imports('@burnish/pdf'),
      'src/process/good.ts': imports('@burnish/jail'),
      'src/runtime/bad.ts': imports('@burnish/jail'),
      'packages/dashboard/src/good.ts': imports('@burnish/client'),
      'packages/dashboard/src/bad.ts': imports('../../client/src/inside.ts'),
    };
    expect(await violationsOf(files)).toEqual([
      'client-in-cli: src/api/bad.ts → packages/client/src/index.ts',
      'jail-by-its-types: packages/engine/src/bad.ts → packages/jail/src/index.ts',
      'jail-in-sandbox-and-process: src/runtime/bad.ts → packages/jail/src/index.ts',
      'package-dashboard-imports: packages/dashboard/src/bad.ts → packages/client/src/inside.ts',
      'packages-by-name: src/cli/bad.ts → packages/client/src/inside.ts',
      'pdf-in-nothing: src/activities/bad.ts → packages/pdf/src/index.ts',
    ]);
  });
});

/** Path of a source with few imports */
const SOURCE = join(repositoryRoot, 'packages/contract/src/ids.ts');

describe('the lint rules', () => {
  /** Reads one source, because the types of all would take ten seconds. */
  let eslint: ESLint;
  let folder: TemporaryFolder;
  beforeAll(async () => {
    folder = await temporaryFolder();
    const project = join(folder.path, 'tsconfig.json');
    const extended = { extends: join(repositoryRoot, 'tsconfig.json'), include: [], files: [SOURCE] };
    await writeFile(project, JSON.stringify({ ...extended, compilerOptions: { types: [] } }));
    // A single run, which CI would mean, would lint the text on the disk.
    const parserOptions = { projectService: false, project, disallowAutomaticSingleRunInference: true };
    eslint = new ESLint({
      cwd: repositoryRoot,
      overrideConfig: [{ files: ['**/*.ts'], languageOptions: { parserOptions } }],
    });
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  const rulesBrokenBy = async (code: string, path: string): Promise<(string | null)[]> => {
    const [result] = await eslint.lintText(code, { filePath: resolve(repositoryRoot, path) });
    return (result?.messages ?? []).map((message) => message.ruleId);
  };

  test('report a floating promise and a default export', async () => {
    const code = 'export default 1;\nexport function f(): void {\n  Promise.resolve(1);\n}\n';
    expect(await rulesBrokenBy(code, SOURCE)).toEqual([
      'no-restricted-syntax',
      '@typescript-eslint/no-floating-promises',
    ]);
  });

  test('report an incomplete switch', async () => {
    const code = "export function f(x: 'a' | 'b'): void {\n  switch (x) {\n    case 'a':\n      break;\n  }\n}\n";
    expect(await rulesBrokenBy(code, SOURCE)).toEqual(['@typescript-eslint/switch-exhaustiveness-check']);
  });

  test('report a file that is too long or not named in kebab-case', async () => {
    expect(await rulesBrokenBy('void 0;\n'.repeat(301), 'scripts/build.mjs')).toEqual(['max-lines']);
    expect(await rulesBrokenBy('export {};\n', 'scripts/buildAll.mjs')).toEqual(['burnish/file-names']);
  });
});
