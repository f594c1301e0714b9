import { join } from 'node:path';
import { repositoryRoot } from '../../../test/support/repository.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

const { buildGuide } = (await import(join(repositoryRoot, 'packages', 'guide', 'build.mjs'))) as {
  buildGuide(root: string, outDir: string): Promise<void>;
};

/** The guide of these sources, in a folder of its own. */
export async function builtGuide(): Promise<AsyncDisposable & { path: string }> {
  const folder = await temporaryFolder();
  await buildGuide(repositoryRoot, folder.path);
  return folder;
}
