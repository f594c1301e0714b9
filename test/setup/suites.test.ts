import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { repositoryRoot } from '../support/repository.ts';

const selections = (await import(join(repositoryRoot, 'scripts', 'test-selection.mjs'))) as {
  SUITES: Readonly<Record<string, string>>;
  selection(given: string[]): string[];
};
/** Of suites that are too long for a change; scripts/test-long.mjs runs each by its name. */
const LONG = ['nightly', 'drill', 'cluster', 'containers', 'corpus', 'packages', 'shots'];

const files = ['test', ...readdirSync(join(repositoryRoot, 'packages')).map((name) => `packages/${name}/test`)]
  .flatMap((folder) => {
    const names = readdirSync(join(repositoryRoot, folder), { recursive: true, encoding: 'utf8' });
    return names.map((name) => `${folder}/${name}`);
  })
  .filter((name) => name.endsWith('.ts'));
const kindOf = (path: string): string => /\.(\w+)\.ts$/.exec(path)?.[1] ?? 'support';
const suitesOf = (path: string): string[] =>
  Object.entries(selections.SUITES).flatMap(([suite, paths]) => (new RegExp(paths).test(`/${path}`) ? [suite] : []));

test('each test file runs in exactly one suite', () => {
  const shared = files.filter((path) => ['test', 'full'].includes(kindOf(path)) && suitesOf(path).length > 1);
  expect(shared).toEqual([]);
  for (const suite of Object.keys(selections.SUITES))
    expect(files.filter((path) => suitesOf(path).includes(suite)).length).toBeGreaterThan(5);
});

test('no file with tests has a name that no suite selects', () => {
  const known = ['test', 'full', ...LONG];
  const lost = files.filter((path) => {
    if (known.includes(kindOf(path))) return false;
    return /^(test|it|describe)(\.\w+)?\(/m.test(readFileSync(join(repositoryRoot, path), 'utf8'));
  });
  expect(lost).toEqual([]);
});

test('the gate runs every suite of a change', () => {
  const gate = readFileSync(join(repositoryRoot, '.ci', 'run'), 'utf8');
  for (const command of [
    'npm test',
    'npm run --silent test:full',
    'npm run --silent test:system',
    'npm run --silent lint',
  ])
    expect(gate).toMatch(new RegExp(`^step .* ${command}( --silent)?$`, 'm'));
  // Before it installs other programs.
  expect(gate).toMatch(/^step .* \.ci\/bare$[^]*^lacks bwrap /m);
  const { scripts } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  for (const suite of ['full', 'system']) expect(scripts[`test:${suite}`]).toBe(`node scripts/test.mjs --${suite}`);
  expect(scripts['lint']).toMatch(/ && node scripts\/test\.mjs --documents$/);
});

test('named files run alone, in whichever suite they are', () => {
  const { SUITES, selection } = selections;
  expect(selection(['test/e2e/quiet.test.ts'])).toEqual(['test/e2e/quiet.test.ts']);
  expect(selection(['--full', '--bail'])).toEqual([SUITES['full'], '--bail']);
  const [option = ''] = selection([]);
  const ignored = new RegExp(option.replace('--testPathIgnorePatterns=', ''));
  const kept = files.filter((path) => kindOf(path) === 'test' && !ignored.test(`/${path}`));
  expect(kept).toEqual(files.filter((path) => kindOf(path) === 'test' && suitesOf(path).length === 0));
  expect(kept).toContain('packages/contract/test/counted.test.ts');
});
