import { SAVED_LOOK_LIMITS, type Look, type SavedReference } from '@burnish/contract';
import type { Database } from '../database.ts';
import { looks, type LookContent } from '../schema/looks.ts';
import { createSavedVersions, type SavedVersion } from './saved-versions.ts';

/** Content of a deleted look, which nobody reads. */
const NOTHING: LookContent = {
  values: { ranges: {}, localLight: 1 },
  proof: { pictures: 0, pairs: 0, untouched: 0, enhance: 0, look: 0, gain: 0, error: 0, worst: 0 },
};

export type Looks = ReturnType<typeof createLooks>;

/** Looks of accounts, with their versions. */
export function createLooks(database: Pick<Database, 'orm'>, now: () => number = Date.now) {
  const kind = {
    table: looks,
    limits: SAVED_LOOK_LIMITS,
    word: 'look',
    remedy: 'Build it under another name.',
    nothing: NOTHING,
  };
  const saved = createSavedVersions<LookContent>(database, kind, now);
  return {
    /** As `save` of saved versions. */
    save: async (accountId: string, name: string, { values, proof }: LookContent): Promise<Look> =>
      toLook(await saved.save(accountId, name, { values, proof })),
    /** The latest version of each look, by name. */
    list: async (accountId: string): Promise<Look[]> => (await saved.list(accountId)).map(toLook),
    async find(accountId: string, wanted: SavedReference): Promise<Look | undefined> {
      const found = await saved.find(accountId, wanted);
      return found && toLook(found);
    },
    remove: saved.remove,
  };
}

const toLook = ({ content, ...version }: SavedVersion<LookContent>): Look => ({ ...version, ...content });
