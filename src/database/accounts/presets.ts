import { PRESET_LIMITS, type EnhancementParameters, type Preset, type SavedReference } from '@burnish/contract';
import type { Database } from '../database.ts';
import { presets } from '../schema/presets.ts';
import { createSavedVersions, type SavedVersion } from './saved-versions.ts';

export type Presets = ReturnType<typeof createPresets>;

/** Presets of accounts, with their versions. */
export function createPresets(database: Pick<Database, 'orm'>, now: () => number = Date.now) {
  const kind = {
    table: presets,
    limits: PRESET_LIMITS,
    word: 'preset',
    remedy: 'Save the parameters under another name.',
    nothing: {},
  };
  const saved = createSavedVersions<EnhancementParameters>(database, kind, now);
  return {
    /** As `save` of saved versions. */
    save: async (accountId: string, name: string, given: EnhancementParameters): Promise<Preset> =>
      toPreset(await saved.save(accountId, name, given)),
    /** The latest version of each preset, by name. */
    list: async (accountId: string): Promise<Preset[]> => (await saved.list(accountId)).map(toPreset),
    async find(accountId: string, wanted: SavedReference): Promise<Preset | undefined> {
      const found = await saved.find(accountId, wanted);
      return found && toPreset(found);
    },
    remove: saved.remove,
  };
}

const toPreset = ({ content, ...version }: SavedVersion<EnhancementParameters>): Preset => ({
  ...version,
  parameters: content,
});
