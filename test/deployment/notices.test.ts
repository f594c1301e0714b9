import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { repositoryRoot } from '../support/repository.ts';

interface Sbom {
  metadata: { component: { name: string } };
  components: { 'bom-ref': string }[];
  dependencies: { ref: string; dependsOn: string[] }[];
}
type Entries = Record<string, { version?: string; license?: string }>;
const { licenceTexts, onlyShipped, shippedFolders } = (await import(
  join(repositoryRoot, 'scripts/package/notices.mjs')
)) as {
  licenceTexts(root: string, entries: Entries, folders: readonly string[]): string;
  onlyShipped(sbom: Sbom, names: ReadonlySet<string>): Sbom;
  shippedFolders(entries: Entries): string[];
};

const lockfile = JSON.parse(await readFile(join(repositoryRoot, 'package-lock.json'), 'utf8')) as { packages: Entries };

test('the licence texts are those of every package that runs with the product, libvips among them', () => {
  const folders = shippedFolders(lockfile.packages);
  const texts = licenceTexts(repositoryRoot, lockfile.packages, folders);
  for (const folder of folders) {
    const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const { version } = lockfile.packages[folder]!;
    if (!texts.includes(`\n${name} ${version} (`)) throw new Error(`The texts do not name ${name} ${version}.`);
  }
  expect(folders).toContain('node_modules/@img/sharp-libvips-linux-x64');
  expect(folders).toEqual(expect.arrayContaining(['node_modules/preact', 'node_modules/minisearch']));
  expect(folders).not.toContain('node_modules/jest');
  expect(texts).toContain('| libvips       | LGPLv3');
  expect(texts).toContain('GNU LESSER GENERAL PUBLIC LICENSE');
  expect(texts).toContain('GNU GENERAL PUBLIC LICENSE');
  expect(texts).toContain('Copyright (c) 2025 Colin McDonnell');
});

test('the list of packages has those of the package and their dependencies, and no other', () => {
  const sbom: Sbom = {
    metadata: { component: { name: 'a-folder' } },
    components: [{ 'bom-ref': 'zod@4' }, { 'bom-ref': 'jest@30' }, { 'bom-ref': 'long@5' }],
    dependencies: [
      { ref: 'burnish@1', dependsOn: ['zod@4', 'jest@30'] },
      { ref: 'zod@4', dependsOn: ['long@5', 'webpack@5'] },
      { ref: 'jest@30', dependsOn: [] },
    ],
  };
  expect(onlyShipped(sbom, new Set(['zod@4', 'long@5']))).toEqual({
    metadata: { component: { name: 'burnish' } },
    components: [{ 'bom-ref': 'zod@4' }, { 'bom-ref': 'long@5' }],
    dependencies: [
      { ref: 'burnish@1', dependsOn: ['zod@4'] },
      { ref: 'zod@4', dependsOn: ['long@5'] },
    ],
  });
});
