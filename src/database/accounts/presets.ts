import { isDeepStrictEqual } from 'node:util';
import { and, count, countDistinct, desc, eq, isNotNull, isNull, lt, max } from 'drizzle-orm';
import {
  counted,
  type EnhancementParameters,
  PRESET_LIMITS,
  type Preset,
  type PresetReference,
  Failure,
} from '@burnish/contract';
import { lockAccount } from '../credits/credit-movements.ts';
import type { Database, Orm } from '../database.ts';
import { presets } from '../schema/presets.ts';

const { name, version, parameters, createdAt } = presets;
const SHOWN = { name, version, parameters, createdAt };
const isLive = isNull(presets.deletedAt);
const named = (accountId: string, presetName: string) =>
  and(eq(presets.accountId, accountId), eq(presets.name, presetName));

export type Presets = ReturnType<typeof createPresets>;

/** Presets of accounts, with their versions. */
export function createPresets({ orm }: Pick<Database, 'orm'>, now: () => number = Date.now) {
  return {
    /**
     * Saves parameters as the next version. Equal parameters change nothing.
     * @returns the latest version
     * @throws Failure BAD_USER_INPUT when the account has too many presets or the preset too many versions
     */
    save(accountId: string, presetName: string, given: EnhancementParameters): Promise<Preset> {
      return orm.transaction(async (tx) => {
        await lockAccount(tx, accountId);
        const [latest] = await tx
          .select()
          .from(presets)
          .where(named(accountId, presetName))
          .orderBy(desc(version))
          .limit(1);
        const isNew = latest === undefined || latest.deletedAt !== null;
        if (isNew) await assertRoom(tx, accountId, latest === undefined);
        else if (isDeepStrictEqual(latest.parameters, given)) return shown(latest);
        else await assertFewVersions(tx, accountId, presetName);
        const made = {
          name: presetName,
          version: (latest?.version ?? 0) + 1,
          parameters: given,
          createdAt: new Date(now()).toISOString(),
        };
        await tx.insert(presets).values({ ...made, accountId });
        await tx.delete(presets).where(and(named(accountId, presetName), isNotNull(presets.deletedAt)));
        return made;
      });
    },

    /** The latest version of each preset, by name. */
    list(accountId: string): Promise<Preset[]> {
      return orm
        .selectDistinctOn([name], SHOWN)
        .from(presets)
        .where(and(eq(presets.accountId, accountId), isLive))
        .orderBy(name, desc(version));
    },

    async find(accountId: string, wanted: PresetReference): Promise<Preset | undefined> {
      const [found] = await orm
        .select(SHOWN)
        .from(presets)
        .where(
          and(named(accountId, wanted.name), isLive, wanted.version === null ? undefined : eq(version, wanted.version)),
        )
        .orderBy(desc(version))
        .limit(1);
      return found;
    },

    /** Deletes all versions. @returns whether the account had the preset */
    remove(accountId: string, presetName: string): Promise<boolean> {
      return orm.transaction(async (tx) => {
        await lockAccount(tx, accountId);
        const mine = and(named(accountId, presetName), isLive);
        const [latest] = await tx
          .select({ version: max(version) })
          .from(presets)
          .where(mine);
        if (typeof latest?.version !== 'number') return false;
        await tx.delete(presets).where(and(mine, lt(version, latest.version)));
        await tx
          .update(presets)
          .set({ deletedAt: new Date(now()).toISOString(), parameters: {} })
          .where(mine);
        return true;
      });
    },
  };
}

const shown = ({ name, version, parameters, createdAt }: typeof presets.$inferSelect): Preset => ({
  name,
  version,
  parameters,
  createdAt,
});

/** @throws Failure BAD_USER_INPUT */
async function assertRoom(tx: Orm, accountId: string, isNewName: boolean): Promise<void> {
  const ofAccount = eq(presets.accountId, accountId);
  const names = { number: countDistinct(name) };
  const [live] = await tx.select(names).from(presets).where(and(ofAccount, isLive));
  if (live!.number >= PRESET_LIMITS.presets) {
    const detail = `An account has at most ${counted(PRESET_LIMITS.presets, 'preset')}. Delete one that is no longer used.`;
    throw new Failure('BAD_USER_INPUT', { detail });
  }
  const [used] = await tx.select(names).from(presets).where(ofAccount);
  if (isNewName && used!.number >= PRESET_LIMITS.names) {
    const detail = `The account has used ${counted(PRESET_LIMITS.names, 'name')} for presets. Use the name of a deleted preset again.`;
    throw new Failure('BAD_USER_INPUT', { detail });
  }
}

/** @throws Failure BAD_USER_INPUT */
async function assertFewVersions(tx: Orm, accountId: string, presetName: string): Promise<void> {
  const [live] = await tx.select({ number: count() }).from(presets).where(named(accountId, presetName));
  if (live!.number < PRESET_LIMITS.versions) return;
  const detail = `A preset has at most ${counted(PRESET_LIMITS.versions, 'version')}. Save the parameters under another name.`;
  throw new Failure('BAD_USER_INPUT', { detail });
}
