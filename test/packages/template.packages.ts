import { readdir, readFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { repositoryRoot } from '../support/repository.ts';
import { temporalBinary } from '../support/temporal-binary.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { asCommonJs, programsOf } from './readme-programs.ts';
import { nodeOf, strangerProject, type StrangerProject } from './stranger-project.ts';
import { withTimeSkippingServer } from './test-server.ts';

/** Temporal's template for new projects: CommonJS, mocha and ts-node. Its files are as published, with the ending `.txt`. */
const TEMPLATE = join(repositoryRoot, 'test', 'packages', 'hello-world');
const NODES = ['20.19.0', '22', '24'];

const folder = await temporaryFolder();
let project: StrangerProject;

/** The template downloads Temporal's servers at its first test. */
const withServers = (code: string, local: string): string =>
  withTimeSkippingServer(code).replace(
    'createLocal()',
    `createLocal({ server: { executable: { type: 'existing-path', path: '${local}' } } })`,
  );

beforeAll(async () => {
  const read = (name: string): Promise<string> => readFile(join(TEMPLATE, name), 'utf8');
  const manifest = JSON.parse(await read('package.json.txt')) as Record<string, unknown>;
  project = await strangerProject(join(folder.path, 'hello-world'), manifest);
  const local = await temporalBinary();
  const names = (await readdir(TEMPLATE, { recursive: true })).filter((name) => /(?<!package)\.\w+\.txt$/.test(name));
  for (const name of names) {
    const path = join(project.path, name.replace(/\.txt$/, ''));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, withServers(await read(name), local));
  }
  for (const program of (await programsOf('client')).filter(({ name }) => name.startsWith('workflows.'))) {
    const { name, code } = asCommonJs(program);
    await writeFile(join(project.path, name), withServers(code, local));
  }
});
afterAll(() => folder[Symbol.asyncDispose]());

test.each(NODES)("the tests of Temporal's template and of these packages pass in it on Node.js %s", async (version) => {
  const node = await nodeOf(version);
  const mocha = ['node_modules/mocha/bin/mocha.js', '--exit', '--timeout', '120000', '--reporter', 'json'];
  const hooks = ['--require', 'ts-node/register', '--require', 'source-map-support/register'];
  const output = await project.run(node, ...mocha, ...hooks, 'src/mocha/*.test.ts');
  const { stats } = JSON.parse(output.slice(output.indexOf('{\n'))) as { stats: object };
  expect(stats).toMatchObject({ passes: 6, failures: 0, pending: 0 });
  // The test of the client's README, as CommonJS.
  const tap = await project.run(node, '--test', '--test-reporter=tap', 'workflows.test.cjs');
  expect(tap).toMatch(/^# pass 2$/m);
});
