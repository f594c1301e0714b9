import type { EnhancementParameters } from '../../src/domain/enhancement/parameters.ts';
import { NO_MODELS } from '../../src/engine/neural/model-set.ts';
import type { ModelSet } from '../../src/engine/neural/model-set.ts';
import { prepareModels } from '../../src/engine/neural/prepare-models.ts';

export interface Tier {
  name: string;
  parameters: EnhancementParameters;
  models: ModelSet;
}

/** The single variant for steps without a network. */
export const NO_TIER: Tier = { name: 'engine', parameters: {}, models: NO_MODELS };

/** Provides the available tiers, and downloads their networks if possible. Reports unavailable tiers. */
export async function engineTiers(modelsDir: string): Promise<Tier[]> {
  const models = await prepareModels({
    modelsDir,
    best: 'fine',
    env: process.env,
    report: (sentence) => console.log(sentence),
  });
  const tiers: (Tier & { there: boolean })[] = [
    { name: 'engine PLAIN', parameters: { engineTier: 'PLAIN' }, models: NO_MODELS, there: true },
    { name: 'engine FAST', parameters: { engineTier: 'FAST' }, models, there: models.fast !== null },
    { name: 'engine FINE', parameters: { engineTier: 'FINE' }, models, there: models.fine !== null },
  ];
  for (const { name } of tiers.filter(({ there }) => !there))
    console.log(`${name} is left out: its networks cannot be had here.`);
  return tiers.filter(({ there }) => there);
}
