import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { repositoryRoot } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const execute = promisify(execFile);
const CHANGES = '### Added\n\n- A new thing.\n\n### Changed\n\n- **Another** thing.';
const EARLIER = '## 0.9.0 - 2026-01-02\n\n- The first.\n';

/** A repository with the scripts of a clone, whose checks pass or fail. */
async function repository({
  section = 'Unreleased',
  changes = CHANGES,
  lint = 'test -d node_modules',
  module = '',
} = {}) {
  const folder = await temporaryFolder();
  // The sample has no image, which a program of this machine would try to build.
  const builders = join(folder.path, 'builders');
  await mkdir(builders);
  for (const name of ['podman', 'buildah', 'docker'])
    await writeFile(join(builders, name), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const env = { ...process.env, PATH: `${builders}:${process.env['PATH']}` };
  const run = (command: string, ...args: string[]) => execute(command, args, { cwd: folder.path, env });
  const release = `node ${join(repositoryRoot, 'scripts/release.mjs')}`;
  const scripts = { setup: 'mkdir -p node_modules', lint, types: 'true', test: 'true', package: 'npm pack', release };
  const manifest = {
    name: 'sample',
    version: '1.0.0-rc.2',
    workspaces: ['packages/*'],
    scripts,
    bin: { sample: 'sample.cjs' },
  };
  await writeFile(join(folder.path, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  await mkdir(join(folder.path, 'packages', 'client'), { recursive: true });
  const client = { name: 'sample-client', version: manifest.version, type: 'module', exports: './index.js' };
  await writeFile(join(folder.path, 'packages', 'client', 'package.json'), JSON.stringify(client));
  await writeFile(join(folder.path, 'packages', 'client', 'index.js'), module);
  await mkdir(join(folder.path, 'dist'));
  for (const name of ['licences.txt', 'sbom.cdx.json']) await writeFile(join(folder.path, 'dist', name), name);
  await writeFile(join(folder.path, 'sample.cjs'), '#!/usr/bin/env node\n');
  await mkdir(join(folder.path, 'docs'));
  await writeFile(join(folder.path, 'docs', 'installation.md'), `npm install ./sample-${manifest.version}.tgz\n`);
  const example = { version: '3.0.0', dependencies: { sample: manifest.version } };
  await mkdir(join(folder.path, 'examples', 'lifecycle'), { recursive: true });
  await writeFile(join(folder.path, 'examples', 'lifecycle', 'package.json'), JSON.stringify(example));
  await writeFile(join(folder.path, '.gitignore'), 'node_modules/\nrelease/\nbuilders/\n');
  await run('npm', 'install', '--package-lock-only', '--offline', '--ignore-scripts');
  await writeFile(join(folder.path, 'CHANGELOG.md'), `# Changelog\n\n## ${section}\n\n${changes}\n\n${EARLIER}`);
  await run('git', 'init', '--quiet', '--initial-branch=main');
  await run('git', 'config', 'user.email', 'release@example.com');
  await run('git', 'config', 'user.name', 'Release');
  await run('git', 'add', '.');
  await run('git', 'commit', '--quiet', '--message', 'sample: begin');
  const git = async (...args: string[]): Promise<string> => (await run('git', ...args)).stdout.trim();
  const makeRelease = (...args: string[]) => run('npm', 'run', '--silent', 'release', '--', ...args);
  return { folder, git, release: makeRelease, read: (name: string) => readFile(join(folder.path, name), 'utf8') };
}

describe('npm run release', () => {
  test('gives the changes a section of the version, commits and tags, and leaves the rest of the changelog', async () => {
    const { folder, git, release, read } = await repository();
    await using _ = folder;
    await release();
    const heading = `## 1.0.0-rc.2 - ${new Date().toISOString().slice(0, 10)}`;
    expect(await read('CHANGELOG.md')).toBe(`# Changelog\n\n${heading}\n\n${CHANGES}\n\n${EARLIER}`);
    expect(await git('log', '-1', '--format=%s')).toBe('release: make version 1.0.0-rc.2');
    expect(await git('rev-parse', 'v1.0.0-rc.2^{commit}')).toBe(await git('rev-parse', 'HEAD'));
    expect(await git('tag', '--list', '--format=%(contents)')).toBe(`Burnish 1.0.0-rc.2\n\n${CHANGES}`);
    expect(await git('status', '--porcelain')).toBe('');
    await expect(release()).rejects.toThrow('The tag v1.0.0-rc.2 exists');
  });

  test('makes another version than that of the manifest, also in the files that name it', async () => {
    const { folder, git, release, read } = await repository({ section: '1.0.0-rc.2' });
    await using _ = folder;
    await release('1.0.0');
    for (const manifest of ['package.json', 'packages/client/package.json'])
      expect(JSON.parse(await read(manifest))).toMatchObject({ version: '1.0.0' });
    for (const name of ['package-lock.json', 'docs/installation.md', 'examples/lifecycle/package.json', 'CHANGELOG.md'])
      expect(await read(name)).not.toContain('1.0.0-rc.2');
    expect(await read('docs/installation.md')).toBe('npm install ./sample-1.0.0.tgz\n');
    expect(await git('status', '--porcelain')).toBe('');
    expect(await git('tag', '--list')).toBe('v1.0.0');
    await expect(release('1.0.1')).rejects.toThrow('names no unreleased change');
    await expect(release('one')).rejects.toThrow('one is not a version');
  });

  test('makes the tarball of each package, with the notices of the product', async () => {
    const { folder, release } = await repository();
    await using _ = folder;
    await release('1.0.0');
    const files = ['licences.txt', 'sample-1.0.0.tgz', 'sample-client-1.0.0.tgz', 'sbom.cdx.json'];
    expect((await readdir(join(folder.path, 'release'))).sort()).toEqual(files);
  });

  test('leaves no commit when an installed package does not run', async () => {
    const { folder, git, release } = await repository({ module: "throw new Error('It lacks a file.');" });
    await using _ = folder;
    await expect(release('1.0.0')).rejects.toThrow('It lacks a file.');
    expect(await git('log', '-1', '--format=%s')).toBe('sample: begin');
    expect(await git('tag', '--list')).toBe('');
    expect(await git('status', '--porcelain')).toBe('');
  });

  test('changes nothing when a check fails, or when the clone has changes', async () => {
    const { folder, git, release, read } = await repository({ lint: 'false' });
    await using _ = folder;
    const before = await read('CHANGELOG.md');
    await expect(release()).rejects.toThrow('npm run --silent lint failed');
    expect(await read('CHANGELOG.md')).toBe(before);
    expect(await git('tag', '--list')).toBe('');
    await writeFile(join(folder.path, 'new'), 'x');
    await expect(release()).rejects.toThrow('The clone has changes');
  });
});
