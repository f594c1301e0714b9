import { isDeepStrictEqual } from 'node:util';
import { and, count, countDistinct, desc, eq, isNotNull, isNull, lt, max } from 'drizzle-orm';
import { counted, type SavedLimits, type SavedReference, Failure } from '@burnish/contract';
import { lockAccount } from '../credits/credit-movements.ts';
import type { Database, Orm } from '../database.ts';
import type { savedVersions } from '../schema/saved-versions.ts';

export interface SavedVersion<Content> {
  name: string;
  version: number;
  content: Content;
  createdAt: string;
}

interface Kind<Content> {
  table: ReturnType<typeof savedVersions<Content>>;
  limits: SavedLimits;
  /** One of it in words, such as `preset` */
  word: string;
  /** What to do when a name has too many versions */
  remedy: string;
  /** Content of a deleted one */
  nothing: Content;
}

/** What accounts save under names, with its versions. */
export function createSavedVersions<Content>(
  { orm }: Pick<Database, 'orm'>,
  { table, limits, word, remedy, nothing }: Kind<Content>,
  now: () => number,
) {
  const { name, version, content, createdAt } = table;
  const shown = { name, version, content, createdAt };
  const isLive = isNull(table.deletedAt);
  const named = (accountId: string, given: string) => and(eq(table.accountId, accountId), eq(name, given));

  /** @throws Failure BAD_USER_INPUT */
  async function assertRoom(tx: Orm, accountId: string, isNewName: boolean): Promise<void> {
    const ofAccount = eq(table.accountId, accountId);
    const names = { number: countDistinct(name) };
    const [live] = await tx.select(names).from(table).where(and(ofAccount, isLive));
    if (live!.number >= limits.live) {
      const detail = `An account has at most ${counted(limits.live, word)}. Delete one that is no longer used.`;
      throw new Failure('BAD_USER_INPUT', { detail });
    }
    const [used] = await tx.select(names).from(table).where(ofAccount);
    if (isNewName && used!.number >= limits.names) {
      const detail = `The account has used ${counted(limits.names, 'name')} for ${word}s. Use the name of a deleted ${word} again.`;
      throw new Failure('BAD_USER_INPUT', { detail });
    }
  }

  /** @throws Failure BAD_USER_INPUT */
  async function assertFewVersions(tx: Orm, accountId: string, given: string): Promise<void> {
    const [live] = await tx.select({ number: count() }).from(table).where(named(accountId, given));
    if (live!.number < limits.versions) return;
    const detail = `A ${word} has at most ${counted(limits.versions, 'version')}. ${remedy}`;
    throw new Failure('BAD_USER_INPUT', { detail });
  }

  return {
    /**
     * Saves content as the next version. Equal content changes nothing.
     * @returns the latest version
     * @throws Failure BAD_USER_INPUT beyond the limits
     */
    save(accountId: string, given: string, own: Content): Promise<SavedVersion<Content>> {
      return orm.transaction(async (tx) => {
        await lockAccount(tx, accountId);
        const [latest] = await tx
          .select({ ...shown, deletedAt: table.deletedAt })
          .from(table)
          .where(named(accountId, given))
          .orderBy(desc(version))
          .limit(1);
        const isNew = latest === undefined || latest.deletedAt !== null;
        if (isNew) await assertRoom(tx, accountId, latest === undefined);
        else if (isDeepStrictEqual(latest.content, own)) {
          const { deletedAt: _live, ...same } = latest;
          return same;
        } else await assertFewVersions(tx, accountId, given);
        const made = {
          name: given,
          version: (latest?.version ?? 0) + 1,
          content: own,
          createdAt: new Date(now()).toISOString(),
        };
        await tx.insert(table).values({ ...made, accountId } as typeof table.$inferInsert);
        await tx.delete(table).where(and(named(accountId, given), isNotNull(table.deletedAt)));
        return made;
      });
    },

    /** The latest version of each name, by name. */
    async list(accountId: string): Promise<SavedVersion<Content>[]> {
      const found = await orm
        .selectDistinctOn([name], shown)
        .from(table)
        .where(and(eq(table.accountId, accountId), isLive))
        .orderBy(name, desc(version));
      return found;
    },

    async find(accountId: string, wanted: SavedReference): Promise<SavedVersion<Content> | undefined> {
      const [found] = await orm
        .select(shown)
        .from(table)
        .where(
          and(named(accountId, wanted.name), isLive, wanted.version === null ? undefined : eq(version, wanted.version)),
        )
        .orderBy(desc(version))
        .limit(1);
      return found;
    },

    /** Deletes all versions. @returns whether the account had the name */
    remove(accountId: string, given: string): Promise<boolean> {
      return orm.transaction(async (tx) => {
        await lockAccount(tx, accountId);
        const mine = and(named(accountId, given), isLive);
        const [latest] = await tx
          .select({ version: max(version) })
          .from(table)
          .where(mine);
        if (typeof latest?.version !== 'number') return false;
        await tx.delete(table).where(and(mine, lt(version, latest.version)));
        await tx
          .update(table)
          .set({ deletedAt: new Date(now()).toISOString(), content: nothing })
          .where(mine);
        return true;
      });
    },
  };
}
