import { and, asc, count, eq } from 'drizzle-orm';
import { MAX_BUCKETS, type Bucket, type BucketCredentials, Failure, newId } from '@burnish/contract';
import type { Vault } from '../../secrets/key-ring.ts';
import { lockAccount } from '../credits/credit-movements.ts';
import type { Database, Orm } from '../database.ts';
import { buckets } from '../schema/buckets.ts';

export const bucketSecretAad = (id: string): string => `buckets/${id}/secret`;

const { accountId, name, bucket, prefix, endpoint, region, createdAt } = buckets;
const SHOWN = { accountId, name, bucket, prefix, endpoint, region, createdAt };
const named = (account: string, bucketName: string) => and(eq(accountId, account), eq(name, bucketName));

export type Buckets = ReturnType<typeof createBuckets>;

/** Buckets that the operator registered for accounts, with their encrypted keys. */
export function createBuckets({ orm }: Pick<Database, 'orm'>, vault: Vault, now: () => number = Date.now) {
  return {
    /** @throws Failure BAD_USER_INPUT for a name that the account has, and beyond the number of buckets */
    assertRoom: (account: string, bucketName: string): Promise<void> => assertRoom(orm, account, bucketName),

    /** @throws Failure as `assertRoom` */
    create(given: Omit<Bucket, 'createdAt'>, credentials: BucketCredentials): Promise<Bucket> {
      return orm.transaction(async (tx) => {
        await lockAccount(tx, given.accountId);
        await assertRoom(tx, given.accountId, given.name);
        const id = newId('bkt', now());
        const made = { ...given, createdAt: new Date(now()).toISOString() };
        const secret = vault.seal(JSON.stringify(credentials), bucketSecretAad(id));
        await tx.insert(buckets).values({ ...made, id, secret });
        return made;
      });
    },

    /** The buckets of an account, by name. */
    list: (account: string): Promise<Bucket[]> =>
      orm.select(SHOWN).from(buckets).where(eq(accountId, account)).orderBy(asc(name)),

    async has(account: string, bucketName: string): Promise<boolean> {
      return (await orm.select({ name }).from(buckets).where(named(account, bucketName))).length > 0;
    },

    /** A bucket with its keys; undefined for an unknown one. */
    async open(
      account: string,
      bucketName: string,
    ): Promise<{ bucket: Bucket; credentials: BucketCredentials } | undefined> {
      const [row] = await orm.select().from(buckets).where(named(account, bucketName));
      if (row === undefined) return undefined;
      const { id, secret, ...shown } = row;
      return { bucket: shown, credentials: JSON.parse(vault.open(secret, bucketSecretAad(id))) as BucketCredentials };
    },

    /** @returns whether the account had the bucket */
    async remove(account: string, bucketName: string): Promise<boolean> {
      const gone = await orm.delete(buckets).where(named(account, bucketName)).returning({ name });
      return gone.length > 0;
    },
  };
}

async function assertRoom(orm: Orm, account: string, bucketName: string): Promise<void> {
  const [known] = await orm.select({ name }).from(buckets).where(named(account, bucketName));
  if (known !== undefined) {
    const detail = `The account has a bucket ${bucketName} already. Delete it first, or choose another name.`;
    throw new Failure('BAD_USER_INPUT', { field: 'name', detail });
  }
  const [all] = await orm.select({ number: count() }).from(buckets).where(eq(accountId, account));
  if (all!.number < MAX_BUCKETS) return;
  const detail = `An account has at most ${MAX_BUCKETS} buckets. Delete one that is no longer used.`;
  throw new Failure('BAD_USER_INPUT', { detail });
}
