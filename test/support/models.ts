import type { ModelSet } from '../../packages/engine/src/neural/model-set.ts';
import { findModels } from '../../packages/engine/src/neural/find-models.ts';

/**
 * Provides every network.
 * @throws Error when one is missing or damaged
 */
export async function testModels(): Promise<ModelSet> {
  const said: string[] = [];
  const models = await findModels('fine', (sentence) => said.push(sentence));
  if (Object.values(models).includes(null)) throw new Error(`Networks are missing: ${said.join(' ')}`);
  return models;
}
