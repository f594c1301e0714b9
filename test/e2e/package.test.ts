import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { EVENT_KINDS, FAILURE_CODES } from '@burnish/contract';
import { openLinks, pagesBelow } from '../support/markdown-links.ts';
import { repositoryRoot } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { cleanEnvironment, freePorts, startInstance } from '../support/instance.ts';

const execute = promisify(execFile);
/** Milliseconds to pack or to install on a busy machine; a quiet one needs a tenth. */
const PATIENCE = 600_000;
const LARGEST_MB = 350;

const folder = await temporaryFolder();
const clone = join(folder.path, 'clone');
const place = join(folder.path, 'empty');
const installed = join(place, 'node_modules', 'burnish');

/** npm as a user has it: no setting of this run's npm, and the cache and registry of the machine. */
const environment = async (): Promise<NodeJS.ProcessEnv> => {
  const registry = Object.entries(process.env).filter(([name]) =>
    /^npm_config_(registry|cache|userconfig)$/i.test(name),
  );
  return cleanEnvironment(Object.fromEntries(registry));
};

/** The files that git has or would add, the build and the packages. */
async function copyClone(): Promise<void> {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '-z'];
  const { stdout } = await execute('git', list, { cwd: repositoryRoot });
  const needed = stdout.split('\0').filter((name) => name !== '' && !/^(test|bench|tools)\//.test(name));
  for (const name of [...needed, 'dist']) {
    if (existsSync(join(repositoryRoot, name)))
      await cp(join(repositoryRoot, name), join(clone, name), { recursive: true });
  }
  await symlink(join(repositoryRoot, 'node_modules'), join(clone, 'node_modules'));
  // npm keeps a version beside its package where another package needs a different one.
  for (const name of await readdir(join(repositoryRoot, 'packages'))) {
    const own = join('packages', name, 'node_modules');
    if (existsSync(join(repositoryRoot, own))) await symlink(join(repositoryRoot, own), join(clone, own));
  }
}

async function filesBelow(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** Every file of the clone outside of its cache, and when it was changed last. */
async function stateOfClone(): Promise<string[]> {
  const names = await readdir(clone, { recursive: true });
  const states = names
    .filter((name) => !name.startsWith('.cache') && !name.startsWith('node_modules'))
    .map(async (name) => `${name} ${(await stat(join(clone, name))).mtimeMs}`);
  return (await Promise.all(states)).sort();
}

beforeAll(async () => {
  await copyClone();
  await mkdir(place);
  const env = await environment();
  await execute('npm', ['run', 'setup'], { cwd: clone, env });
  const before = await stateOfClone();
  const pack = ['run', '--silent', 'package', '--', '--pack-destination', place];
  const { stdout } = await execute('npm', pack, { cwd: clone, env });
  // Commands of the clone run meanwhile, so nothing in it may change, not even for a moment.
  expect(await stateOfClone()).toEqual(before);
  expect((await readdir(join(clone, '.cache'))).filter((name) => name.startsWith('package-'))).toEqual([]);
  const tarball = stdout.trim().split('\n').at(-1)!;
  await execute('npm', ['install', `./${tarball}`], { cwd: place, env });
}, PATIENCE);
afterAll(() => folder[Symbol.asyncDispose]());

test('npm pack alone, which would pack the clone where it is, names the command that makes the package', async () => {
  const packed = execute('npm', ['pack', '--pack-destination', place], { cwd: clone, env: await environment() });
  await expect(packed).rejects.toMatchObject({ stderr: expect.stringContaining('Run npm run package.') });
});

describe('the package, installed in an empty folder', () => {
  test(`takes less than ${LARGEST_MB} MB, and has neither sources nor tests`, async () => {
    const files = await filesBelow(join(place, 'node_modules'));
    const sizes = await Promise.all(files.map(async (path) => (await stat(path)).blocks * 512));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(LARGEST_MB * 1024 ** 2);
    expect((await readdir(installed)).sort()).toEqual(
      ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'THIRD-PARTY.md', 'deploy', 'dist', 'docs'].concat([
        'examples',
        'package.json',
        'packages',
        'samples',
        'scripts',
      ]),
    );
  });

  test('has no dead link, and shows the first picture of its README', async () => {
    const { links, dead } = await openLinks(installed, await pagesBelow(installed));
    expect(dead).toEqual([]);
    expect(links).toBeGreaterThan(100);
    const [, picture] = /^!\[[^\]]+\]\(([^)]+)\)/m.exec(await readFile(join(installed, 'README.md'), 'utf8'))!;
    expect((await stat(join(installed, picture!))).size).toBeGreaterThan(10_000);
  });

  test('has no install script', async () => {
    const manifests = (await filesBelow(join(place, 'node_modules'))).filter((path) => path.endsWith('/package.json'));
    expect(manifests.length).toBeGreaterThan(200);
    const scripted = [];
    for (const path of manifests) {
      const { scripts = {} } = JSON.parse(await readFile(path, 'utf8')) as { scripts?: Record<string, string> };
      if (['preinstall', 'install', 'postinstall'].some((name) => name in scripts)) scripted.push(path);
    }
    expect(scripted).toEqual([]);
  });

  test(
    'loads each package that the product imports',
    async () => {
      const modules = (await filesBelow(join(installed, 'dist'))).filter(
        (path) =>
          /\.c?js$/.test(path) &&
          !/\/dist\/(node_modules\/(?!@burnish\/(engine|jail)\/)|(dashboard|guide)\/)|workflow-bundle/.test(path),
      );
      const imports =
        /(?:^|\n)(?:import|export)\b[^'";]*?from ['"]([^'".][^'"]*)['"]|(?:import|require)\(['"]([^'".][^'"]*)['"]\)/g;
      const names = new Set<string>();
      for (const path of modules) {
        for (const [, from, lazily] of (await readFile(path, 'utf8')).matchAll(imports)) names.add((from ?? lazily)!);
      }
      // The writer of debug messages in the engine does without colours where this package is missing.
      names.delete('supports-color');
      const packages = [...names].filter((name) => !name.startsWith('node:') && !builtinModules.includes(name));
      expect(packages.length).toBeGreaterThan(40);
      const entry = join(installed, 'dist', 'imports.js');
      await writeFile(
        entry,
        `for (const name of ${JSON.stringify(packages)}) await import(name).catch((error) => console.log(name, error.message));`,
      );
      const { stdout } = await execute(process.execPath, [entry], { cwd: place, env: await environment() });
      expect(stdout).toBe('');
    },
    PATIENCE,
  );

  test(
    'lets a test key meet each error code, each event and ten attempts of a delivery',
    async () => {
      await using instance = await startInstance({
        program: [join(place, 'node_modules', '.bin', 'burnish')],
        env: { BURNISH_ALLOWED_PRIVATE_HOSTS: '127.0.0.1' },
      });
      const tour = join(place, 'tour.mjs');
      await cp(join(repositoryRoot, 'test', 'e2e', 'test-keys-tour.mjs'), tour);
      const files = ['dark-room.jpg', 'document.pdf'].map((name) => join(installed, 'samples', name));
      const words = [instance.url, instance.apiKey, ...files, FAILURE_CODES.join(), EVENT_KINDS.join()];
      const { stdout } = await execute(process.execPath, [tour, ...words], { cwd: place });
      const { met, requests, seconds, ...deliveries } = JSON.parse(stdout) as Record<string, unknown>;
      expect(met).toEqual(FAILURE_CODES);
      expect(deliveries).toEqual({ attempts: 10, deliveries: 1, repeated: 10 });
      console.info(`The tour took ${String(requests)} requests and ${String(seconds)} seconds.`);
    },
    PATIENCE,
  );

  test(
    'runs the demo with its networks',
    async () => {
      const ports = await freePorts();
      const env = {
        ...(await environment()),
        BURNISH_ENGINE_TIER: 'fast',
        BURNISH_PORT: String(ports.gateway),
        BURNISH_TEMPORAL_PORT: String(ports.temporal),
        BURNISH_TEMPORAL_UI_PORT: String(ports.temporalUi),
      };
      const { stdout } = await execute('npx', ['burnish', 'demo'], { cwd: place, env });
      expect(stdout).toContain('1160×880 pixels');
      expect(stdout).toContain('Run `npx burnish up`');
      const results = await readdir(join(place, 'out'));
      expect(results.sort()).toEqual(['dark-room.jpg', 'document.pdf', 'page.jpg']);
      expect(dirname(installed)).toBe(join(place, 'node_modules'));
    },
    PATIENCE,
  );
});
