import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { repositoryRoot } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

type Entries = Record<string, Record<string, unknown>>;
const { bundlePackages, bundledFolders } = (await import(
  join(repositoryRoot, 'scripts/package/bundle-packages.mjs')
)) as {
  bundlePackages(root: string, target: string): string[];
  bundledFolders(entries: Entries): string[];
};
const { packedManifest } = (await import(join(repositoryRoot, 'scripts/package/pack.mjs'))) as {
  packedManifest(manifest: Record<string, unknown>, dependencies: Record<string, string>): Record<string, unknown>;
};

const lockfile = JSON.parse(await readFile(join(repositoryRoot, 'package-lock.json'), 'utf8')) as { packages: Entries };

async function clone(root: string, files: readonly string[], entries: Entries): Promise<void> {
  for (const path of files.map((name) => join(root, 'node_modules', name))) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, path.endsWith('package.json') ? '{"version":"1.0.0","scripts":{"postinstall":"x"}}' : 'x');
  }
  await writeFile(join(root, 'package-lock.json'), JSON.stringify({ packages: entries }));
}

const CORE = '@temporalio/core-bridge';
const KEPT = [
  'onnxruntime-node/package.json',
  'onnxruntime-node/bin/napi-v6/linux/x64/onnxruntime_binding.node',
  'onnxruntime-node/bin/napi-v6/linux/arm64/onnxruntime_binding.node',
  'onnxruntime-node/bin/napi-v6/darwin/arm64/libonnxruntime.1.dylib',
  `${CORE}/package.json`,
  `${CORE}/index.js`,
  `${CORE}/releases/x86_64-unknown-linux-gnu/index.node`,
  `${CORE}/releases/aarch64-apple-darwin/index.node`,
  'zod/package.json',
  'zod/index.js',
  'zod/map/history.js',
  'zod/LICENSE',
];
const LEFT = [
  'onnxruntime-node/dist/index.js',
  'onnxruntime-node/bin/napi-v6/darwin/arm64/libonnxruntime.1.30.0.dylib',
  'onnxruntime-node/bin/napi-v6/win32/x64/onnxruntime_binding.node',
  'onnxruntime-node/script/install.js',
  `${CORE}/releases/x86_64-pc-windows-msvc/index.node`,
  `${CORE}/sdk-core/Cargo.toml`,
  'zod/index.d.ts',
  'zod/index.d.cts',
  'zod/index.js.map',
  'zod/.npmignore',
  'zod/CHANGELOG.md',
];

describe('the packages in the package', () => {
  it('have the native code of the supported platforms, and neither types nor scripts', async () => {
    await using folder = await temporaryFolder();
    const names = ['onnxruntime-node', CORE, 'zod'];
    const entries = Object.fromEntries(names.map((name) => [`node_modules/${name}`, {}]));
    const dependencies = Object.fromEntries(names.map((name) => [name, '1.0.0']));
    await clone(folder.path, [...KEPT, ...LEFT], { '': { dependencies }, ...entries });
    const target = join(folder.path, 'dist', 'node_modules');
    bundlePackages(folder.path, target);
    const left = await readdir(target, { recursive: true, withFileTypes: true });
    const files = left.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    const empty = files.filter((path) => path.includes('/@temporalio/worker/'));
    expect(files.filter((path) => !empty.includes(path)).sort()).toEqual(KEPT.map((name) => join(target, name)).sort());
    expect(await readFile(join(target, 'zod/package.json'), 'utf8')).toBe('{"version":"1.0.0"}\n');
  });

  it('include those of the engine, and the dependencies of dependencies where the lockfile has them, and no compiler', () => {
    const entries: Entries = {
      '': { dependencies: { '@temporalio/worker': '1', sharp: '1' }, devDependencies: { jest: '1' } },
      'packages/engine': { dependencies: { jpeg2000: '1', sharp: '1' } },
      'node_modules/jpeg2000': {},
      'node_modules/@temporalio/worker': { dependencies: { webpack: '1', rxjs: '1', 'supports-color': '8' } },
      'node_modules/@temporalio/worker/node_modules/supports-color': { dependencies: { 'has-flag': '4' } },
      'node_modules/has-flag': {},
      'node_modules/jest': {},
      'node_modules/rxjs': {
        peerDependencies: { there: '1', absent: '1' },
        peerDependenciesMeta: { absent: { optional: true } },
      },
      'node_modules/absent': {},
      'node_modules/there': {},
      'node_modules/sharp': {},
      'node_modules/supports-color': {},
      'node_modules/webpack': {},
    };
    expect(bundledFolders(entries)).toEqual([
      'node_modules/@temporalio/worker',
      'node_modules/@temporalio/worker/node_modules/supports-color',
      'node_modules/has-flag',
      'node_modules/jpeg2000',
      'node_modules/rxjs',
      'node_modules/there',
    ]);
  });

  it('are no development packages of the clone', () => {
    const folders = bundledFolders(lockfile.packages);
    expect(folders.length).toBeGreaterThan(100);
    expect(folders.filter((folder) => lockfile.packages[folder]!['dev'] === true)).toEqual([]);
  });
});

it('the manifest of the package asks npm for sharp only, and has no script', async () => {
  const manifest = JSON.parse(await readFile(join(repositoryRoot, 'package.json'), 'utf8')) as Record<string, unknown>;
  const packed = packedManifest(manifest, { express: '5', sharp: '1' });
  expect(Object.keys(packed['dependencies'] as object)).toEqual(['sharp']);
  expect(packed).not.toHaveProperty('scripts');
  expect(packed).not.toHaveProperty('devDependencies');
  expect(packed).toMatchObject({ version: manifest['version'], bin: manifest['bin'], os: ['linux', 'darwin'] });
});

it('the lockfile makes npm ci run no install script: remove `hasInstallScript` after npm install', () => {
  const scripted = Object.entries(lockfile.packages).filter(([, entry]) => 'hasInstallScript' in entry);
  expect(scripted.map(([folder]) => folder)).toEqual([]);
});
