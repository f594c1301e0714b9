import type { EnhancementParameters } from '@burnish/contract';
import { NO_MODELS, type ModelSet } from '../../packages/engine/src/neural/model-set.ts';
import { findModels } from '../../packages/engine/src/neural/find-models.ts';

export interface Tier {
  name: string;
  parameters: EnhancementParameters;
  models: ModelSet;
}

/** The single variant for steps without a network. */
export const NO_TIER: Tier = { name: 'engine', parameters: {}, models: NO_MODELS };

/** Provides the available tiers. Reports unavailable tiers. */
export async function engineTiers(): Promise<Tier[]> {
  const models = await findModels('fine', console.log);
  const tiers: (Tier & { there: boolean })[] = [
    { name: 'engine PLAIN', parameters: { engineTier: 'PLAIN' }, models: NO_MODELS, there: true },
    { name: 'engine FAST', parameters: { engineTier: 'FAST' }, models, there: models.fast !== null },
    { name: 'engine FINE', parameters: { engineTier: 'FINE' }, models, there: models.fine !== null },
  ];
  for (const { name } of tiers.filter(({ there }) => !there))
    console.log(`${name} is left out: its networks are not available.`);
  return tiers.filter(({ there }) => there);
}
