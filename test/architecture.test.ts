import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type ICruiseOptions, type ICruiseResult, type IForbiddenRuleType, cruise } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { ESLint } from 'eslint';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { repositoryRoot } from './support/repository.ts';
import { temporaryFolder, type TemporaryFolder } from './support/temporary-folder.ts';

const rules = (await import(join(repositoryRoot, '.dependency-cruiser.mjs'))) as {
  MODULES: Record<string, string[]>;
  PACKAGES: Record<string, string[]>;
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

  test('may use the vocabulary of the engine wherever they may use domain, and it uses nothing', async () => {
    const files = {
      'packages/engine/src/contract.ts': "export * from './contract/leaf.ts';\n",
      'packages/engine/src/contract/leaf.ts': leaf,
      'packages/engine/src/contract/bad.ts': importsType('../../../../src/domain/leaf.ts'),
      'packages/engine/src/contract/worse.ts': imports('../limits.ts'),
      'packages/engine/src/contract/worst.ts': "import { join } from 'node:path';\nexport const y = join('a', 'b');\n",
      'packages/engine/src/limits.ts': leaf,
      'packages/engine/src/host.ts': leaf,
      'src/domain/leaf.ts': leaf,
      'src/domain/good.ts': imports('@burnish/engine/contract'),
      'src/domain/bad.ts': importsType('@burnish/engine/host'),
      'src/workflows/good.ts': imports('@burnish/engine/contract'),
      'src/workflows/bad.ts': imports('../../packages/engine/src/contract/leaf.ts'),
      'src/process/bad.ts': imports('@burnish/engine/contract'),
      'src/runtime/config.ts': imports('@burnish/engine/host'),
    };
    expect(await violationsOf(files)).toEqual([
      'config-imports: src/runtime/config.ts → packages/engine/src/host.ts',
      'engine-in-sandbox-and-activities-and-runtime-and-cli: src/domain/bad.ts → packages/engine/src/host.ts',
      'engine-in-sandbox-and-activities-and-runtime-and-cli: src/workflows/bad.ts → packages/engine/src/contract/leaf.ts',
      'package-engine-imports: packages/engine/src/contract/bad.ts → src/domain/leaf.ts',
      'packages-by-name: src/workflows/bad.ts → packages/engine/src/contract/leaf.ts',
      'sandboxed: packages/engine/src/contract/worst.ts → path',
      'vocabulary-alone: packages/engine/src/contract/bad.ts → src/domain/leaf.ts',
      'vocabulary-alone: packages/engine/src/contract/worse.ts → packages/engine/src/limits.ts',
      'vocabulary-beside-domain: src/process/bad.ts → packages/engine/src/contract.ts',
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

describe('the packages', () => {
  test.each(Object.entries(rules.PACKAGES))('cannot import the service: lint refuses %s', async (name, open) => {
    const files: Record<string, string> = {};
    for (const module of [...Object.keys(rules.MODULES), 'cli', 'runtime']) {
      files[`src/${module}/leaf.ts`] = leaf;
      files[`packages/${name}/src/of-${module}.ts`] = importsType(`../../../src/${module}/leaf.ts`);
    }
    const refused = Object.keys(files).filter((path) => {
      const [, module] = /^src\/(\w+)\//.exec(path) ?? [];
      return module !== undefined && !open.includes(`src/${module}/`);
    });
    const expected = refused.map(
      (path) => `package-${name}-imports: packages/${name}/src/of-${path.split('/')[1]}.ts → ${path}`,
    );
    expect(await violationsOf(files)).toEqual(expected.sort());
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
const SOURCE = join(repositoryRoot, 'src/domain/ids.ts');

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
