import { join } from 'node:path';
import type { ModelSet } from '../../src/engine/neural/model-set.ts';
import { prepareModels } from '../../src/engine/neural/prepare-models.ts';
import { repositoryRoot } from './repository.ts';

/** Folder of the networks for tests, downloaded once and kept outside of every test's data folder. */
export const modelsFolder = join(repositoryRoot, '.cache', 'models');

/**
 * Provides every network.
 * @throws Error when those of the tier `fine` are unavailable
 */
export async function testModels(): Promise<ModelSet> {
  const said: string[] = [];
  const report = (sentence: string): void => void said.push(sentence);
  const models = await prepareModels({ modelsDir: modelsFolder, best: 'fine', env: process.env, report });
  if (Object.values(models).includes(null)) throw new Error(`Networks are missing: ${said.join(' ')}`);
  return models;
}
