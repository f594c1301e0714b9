#!/usr/bin/env node
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeReleaseFiles } from './package/release-files.mjs';
import { SetupError, run, runAsMain, succeed } from './process.mjs';

/** What a release needs besides a green `.ci/run` of its commit. A new clone has no packages yet, which the checks need. */
const CHECKS = [
  ['run', '--silent', 'setup'],
  ['run', '--silent', 'lint'],
  ['run', '--silent', 'types'],
  ['test', '--silent', '--', 'test/deployment', 'test/e2e/package.test.ts'],
];
/** Files that name the version, besides the manifests of npm. */
const NAMING = [
  'deploy/helm/burnish/Chart.yaml',
  'docs/api/openapi.json',
  'docs/installation.md',
  'examples/lifecycle/package.json',
  'packages/client/README.md',
  'packages/jail/README.md',
  'packages/pdf/README.md',
];
const VERSION = /^\d+\.\d+\.\d+(-rc\.\d+)?$/;

/**
 * `npm run release`, or `npm run release -- 1.0.0` for another version than that of package.json: runs the checks, dates the changes of
 * the version, commits, makes the files of the commit in `release/`, and tags it. It neither pushes nor publishes.
 * @param {string} root a clone without changes
 * @param {string | undefined} wanted
 * @throws {SetupError} and then the clone is as it was
 */
export async function release(root, wanted) {
  const { version: present } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const version = wanted ?? present;
  if (!VERSION.test(version)) throw new SetupError(`${version} is not a version: write 1.2.3 or 1.2.3-rc.4.`);
  const git = (/** @type {string[]} */ ...args) => succeed('git', args, { cwd: root });
  if ((await git('status', '--porcelain')) !== '')
    throw new SetupError('The clone has changes: commit or remove them.');
  if ((await git('tag', '--list', `v${version}`)) !== '')
    throw new SetupError(`The tag v${version} exists: name the next version, as in npm run release -- 1.2.3.`);
  const changelog = join(root, 'CHANGELOG.md');
  const { text, section } = withSection(readFileSync(changelog, 'utf8'), version, new Date());
  for (const check of CHECKS) {
    if ((await run('npm', check, { cwd: root })).code !== 0)
      throw new SetupError(`npm ${check.join(' ')} failed: mend it first.`);
  }
  if (version !== present) await nameVersion(root, present, version);
  writeFileSync(changelog, text);
  await git('commit', '--quiet', '--all', '--message', `release: make version ${version}`);
  try {
    await makeReleaseFiles(root, version);
  } catch (error) {
    await git('reset', '--quiet', '--hard', 'HEAD~1');
    throw error;
  }
  await git(
    'tag',
    '--annotate',
    `v${version}`,
    '--cleanup',
    'verbatim',
    '--message',
    `Burnish ${version}\n\n${section}`,
  );
  console.log(
    `The commit of version ${version} has the tag v${version}, and release/ its files. Look at them, then: git push --follow-tags`,
  );
}

/**
 * Writes another version into the manifests, and into the files of `NAMING`.
 * @param {string} root
 * @param {string} present
 * @param {string} version
 */
async function nameVersion(root, present, version) {
  const args = ['version', '--no-git-tag-version', '--workspaces', '--include-workspace-root', version];
  await succeed('npm', args, { cwd: root });
  for (const path of NAMING.map((name) => join(root, name)).filter((path) => existsSync(path)))
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(present, version));
}

/**
 * Gives the first section, which has no date, the version and the date.
 * @param {string} changelog in the format of Keep a Changelog
 * @param {string} version
 * @param {Date} date
 * @returns {{ text: string, section: string }} the changelog, and the changes of the version
 * @throws {SetupError} where there are no unreleased changes
 */
export function withSection(changelog, version, date) {
  const [, before, name = '', section = '', after = ''] =
    /^([\s\S]*?)^## ([^\n]*)\n([\s\S]*?)(^## [\s\S]*)?$(?![\s\S])/m.exec(changelog) ?? [];
  if (before === undefined || name.includes(' - ') || section.trim() === '')
    throw new SetupError(
      'CHANGELOG.md names no unreleased change: list the changes under "## Unreleased", as its first section.',
    );
  const heading = `## ${version} - ${date.toISOString().slice(0, 10)}`;
  const text = `${before}${heading}\n\n${section.trim()}\n${after === '' ? '' : `\n${after}`}`;
  return { text, section: section.trim() };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runAsMain(() => release(process.cwd(), process.argv[2]));
