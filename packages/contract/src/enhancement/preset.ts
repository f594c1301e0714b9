import type { EnhancementParameters } from '../engine/parameters.ts';
import type { SavedLimits } from './saved-name.ts';

/** A set of parameters that an account has saved. Each change makes a new version; a version never changes. */
export interface Preset {
  name: string;
  /** From 1 */
  version: number;
  parameters: EnhancementParameters;
  /** ISO 8601, of this version */
  createdAt: string;
}

export const PRESET_LIMITS = { live: 100, versions: 100, names: 1_000 } as const satisfies SavedLimits;
