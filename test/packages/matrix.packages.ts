import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { PUBLIC_PACKAGES } from '../support/public-packages.ts';
import { repositoryRoot } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { asCommonJs, programsOf, type Program } from './readme-programs.ts';
import { nodeOf, strangerProject, type StrangerProject } from './stranger-project.ts';

/** The lowest version that the packages promise, and the later lines with long support. */
const NODES = ['20.19.0', '22', '24'];
const DEPENDENCIES = { jest: '30.5.2', 'typescript-5': 'npm:typescript@5.9.3', 'typescript-7': 'npm:typescript@7.0.2' };
/** The types of the packages that the declarations name. */
const TYPES = {
  '@temporalio/common': '1.24.0',
  '@temporalio/testing': '1.24.0',
  '@types/node': '20.19.43',
  'nexus-rpc': '0.0.3',
};

/** Runs the tasks of the engine in a jail, as its README says. */
const ENGINE_IN_JAIL: Program = {
  name: 'engine-in-jail.mjs',
  code: `import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';
import { createChildProgram, createJailPool, findJail } from '@burnish/jail';
import { NO_MODELS, TASK_FILES } from '@burnish/engine/host';

const tasks = pathToFileURL(createRequire(import.meta.url).resolve('@burnish/engine/tasks'));
const program = createChildProgram({ tasks });
const settings = { models: NO_MODELS };
const pool = createJailPool({ program, files: TASK_FILES, jail: findJail('off'), memoryLimitBytes: 1e9, settings });
const { width, height } = await pool.run('inspect-image', { inputPath: resolve('in.jpg') }, { tenant: 'one', cpuMs: 60_000 });
console.log([width, height].join());
await pool.close();
`,
};

/** Each entry by both systems of modules: the same names, with the same values, so that a class is one class. */
const ENTRIES = `import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
for (const name of ${JSON.stringify(PUBLIC_PACKAGES)}) {
  const { exports } = JSON.parse(readFileSync(require.resolve('@burnish/' + name + '/package.json'), 'utf8'));
  for (const entry of Object.keys(exports).filter((path) => path !== './package.json')) {
    const path = '@burnish/' + name + entry.slice(1);
    const required = require(path);
    const { default: _, 'module.exports': __, ...imported } = await import(path);
    assert.deepEqual(Object.keys(imported).sort(), Object.keys(required).sort(), path);
    for (const key of Object.keys(required)) assert.equal(imported[key], required[key], path + ' ' + key);
    console.log(path, Object.keys(required).length > 0);
  }
}
`;

const TYPED = `import { EngineError, inspectImage } from '@burnish/engine';
import { mediaKind } from '@burnish/engine/contract';
import { TASK_FILES } from '@burnish/engine/host';
import { describeInvalid } from '@burnish/engine/schemas';
import { TASKS } from '@burnish/engine/tasks';
import { openPdfDocument, PdfError } from '@burnish/pdf';
import { createChildProgram, JailError } from '@burnish/jail';
import { Burnish, BurnishError } from '@burnish/client';

export const known = (error: unknown): string =>
  error instanceof EngineError || error instanceof PdfError || error instanceof JailError || error instanceof BurnishError
    ? error.code
    : 'UNKNOWN';
export const width = async (path: string): Promise<number> => (await inspectImage(path)).width;
export const kind: 'image' | 'pdf' = mediaKind('image/png');
export const used = [TASK_FILES['inspect-image'].reads, TASKS, describeInvalid, openPdfDocument, createChildProgram, Burnish];
// @ts-expect-error a package without types would accept it
export const wrong: boolean = mediaKind('image/png');
`;
const TYPED_FOR_TEMPORAL = `import { startFakeBurnish, type FakeBurnish } from '@burnish/client/testing';
import { BurnishPlugin } from '@burnish/client/worker';
import { burnishService } from '@burnish/client/workflow';

export const used = [BurnishPlugin, burnishService];
export const stop = async (fake: FakeBurnish): Promise<void> => await fake.stop();
// @ts-expect-error the fake needs an environment
export const fake = startFakeBurnish();
`;
/** The ending of a file, and how the compiler reads it. Version 7 of the compiler has no \`node10\`. */
const COMPILATIONS = [
  ['typescript-5', 'CommonJS', 'node10', 'ts', '--module', 'commonjs'],
  ['typescript-5', 'ESM', 'node10', 'ts', '--module', 'esnext'],
  ['typescript-5', 'CommonJS', 'node16', 'cts', '--module', 'node16'],
  ['typescript-5', 'ESM', 'node16', 'mts', '--module', 'node16'],
  ['typescript-5', 'ESM', 'bundler', 'ts', '--module', 'esnext'],
  ['typescript-7', 'CommonJS', 'node16', 'cts', '--module', 'node16'],
  ['typescript-7', 'ESM', 'node16', 'mts', '--module', 'node16'],
  ['typescript-7', 'ESM', 'bundler', 'ts', '--module', 'esnext'],
] as const;

const folder = await temporaryFolder();
let project: StrangerProject;

beforeAll(async () => {
  project = await strangerProject(join(folder.path, 'project'), {
    name: 'project',
    dependencies: { ...DEPENDENCIES, ...TYPES },
  });
  await cp(join(repositoryRoot, 'samples', 'document.pdf'), join(project.path, 'in.pdf'));
  await writeFile(join(project.path, 'words.txt'), 'one two three');
  const write = ({ name, code }: Program): Promise<void> => writeFile(join(project.path, name), code);
  const programs = [
    ...(await Promise.all((['engine', 'jail', 'pdf'] as const).map(programsOf))).flat(),
    ENGINE_IN_JAIL,
  ];
  for (const program of programs) await Promise.all([write(program), write(asCommonJs(program))]);
  await write({ name: 'entries.mjs', code: ENTRIES });
  await write({ name: 'programs.test.js', code: jestTest() });
  for (const ending of ['ts', 'cts', 'mts']) {
    await write({ name: `typed.${ending}`, code: TYPED });
    await write({ name: `temporal.${ending}`, code: TYPED_FOR_TEMPORAL });
  }
});
afterAll(() => folder[Symbol.asyncDispose]());

/** The words and the output of each program, by its name. */
const RUNS = [
  ['enhance', ['in.jpg', 'out.jpg'], '60 × 40 pixels became 120 × 80\n'],
  ['turn', ['in.pdf', 'out.pdf'], 'turned pages: 2\n'],
  ['main', ['words.txt'], 'words: 3\n'],
  ['engine-in-jail', [], '60,40\n'],
] as const;

/** Jest's own \`require\` loads the same programs. */
const jestTest = (): string => `
const runs = ${JSON.stringify(RUNS)};
test.each(runs)('%s', async (name, words, output) => {
  process.argv.splice(2, process.argv.length, ...words.map((word) => require('node:path').resolve(word)));
  const printed = jest.spyOn(console, 'log').mockImplementation(() => {});
  await require('./' + name + '.cjs').main();
  expect(printed.mock.calls.map((call) => call.join(' ') + '\\n').join('')).toBe(output);
  printed.mockRestore();
}, 120_000);
`;

describe.each(NODES)('on Node.js %s', (version) => {
  let node: string;
  beforeAll(async () => {
    node = await nodeOf(version);
    expect((await project.run(node, '--version')).slice(1)).toContain(version);
  });

  test.each(['cjs', 'mjs'])('each program runs as %s', async (ending) => {
    for (const [name, words, output] of RUNS) {
      const paths = words.map((word) => join(project.path, word));
      expect(await project.run(node, `${name}.${ending}`, ...paths)).toBe(output);
    }
    expect(await sharp(join(project.path, 'out.jpg')).metadata()).toMatchObject({ width: 120, height: 80 });
  });

  test('import and require give each entry once', async () => {
    const lines = (await project.run(node, 'entries.mjs')).trim().split('\n');
    expect(lines.length).toBeGreaterThanOrEqual(8);
    for (const line of lines) expect(line).toMatch(/ true$/);
  });

  test('a CommonJS project of Jest runs each program', async () => {
    await project.run(node, 'node_modules/jest/bin/jest.js', '--runInBand', 'programs.test.js');
  });
});

const COMPILER_OPTIONS = '--strict --noEmit --esModuleInterop --target es2022 --lib es2023,dom --types node'.split(' ');

test.each(COMPILATIONS)('%s accepts the types in %s with %s', async (compiler, _, resolution, ending, ...module) => {
  const compile = (...words: string[]): Promise<string> => {
    const path = `node_modules/${compiler}/bin/tsc`;
    return project.run(
      process.execPath,
      path,
      ...COMPILER_OPTIONS,
      ...module,
      '--moduleResolution',
      resolution,
      ...words,
    );
  };
  expect(await compile('--skipLibCheck', 'false', `typed.${ending}`)).toBe('');
  // Declarations of Temporal do not pass by themselves.
  expect(await compile('--skipLibCheck', `temporal.${ending}`)).toBe('');
});
