import { randomBytes } from 'node:crypto';
import { eq, inArray, like } from 'drizzle-orm';
import type { Vault } from '../secrets/key-ring.ts';
import type { Database } from './database.ts';
import { instanceSecrets } from './schema/instance.ts';
import { FIRST_KEY_ID, goodKeysAt, KEY_LEAD_MS, type SigningKey } from '../domain/files/signing-key.ts';

const SECRET_BYTES = 32;
/** Name of the secret that stores the time from which payloads are encrypted. */
const ENCRYPTED_SINCE = 'payloads-encrypted';

export const instanceSecretAad = (name: string): string => `instance_secrets/${name}/secret`;

export type InstanceSecrets = ReturnType<typeof createInstanceSecrets>;

/** Keys that every process of an instance shares across restarts, such as the one that signs file URLs. */
export function createInstanceSecrets({ orm }: Pick<Database, 'orm'>, vault: Vault, now: () => number = Date.now) {
  async function keep(name: string) {
    const aad = instanceSecretAad(name);
    const secret = vault.seal(randomBytes(SECRET_BYTES).toString('base64'), aad);
    await orm
      .insert(instanceSecrets)
      .values({ name, secret, createdAt: new Date(now()).toISOString() })
      .onConflictDoNothing();
    const [kept] = await orm.select().from(instanceSecrets).where(eq(instanceSecrets.name, name));
    return kept!;
  }
  return {
    async get(name: string): Promise<Uint8Array> {
      const { secret } = await keep(name);
      return Buffer.from(vault.open(secret, instanceSecretAad(name)), 'base64');
    },

    /**
     * Records that payloads are encrypted from now on. @returns the time since when, in milliseconds since the epoch
     */
    payloadsEncryptedSince: async (): Promise<number> => Date.parse((await keep(ENCRYPTED_SINCE)).createdAt),

    /** Deletes that time. If encryption is enabled again, workflows with plain payloads continue. */
    async payloadsAreNotEncrypted(): Promise<void> {
      await orm.delete(instanceSecrets).where(eq(instanceSecrets.name, ENCRYPTED_SINCE));
    },
  };
}

/** Name of the first key; later keys append their id to it. */
const FIRST = 'signed-urls';

const toSecretName = (id: string): string => (id === FIRST_KEY_ID ? FIRST : `${FIRST}/${id}`);
const toKeyId = (name: string): string => (name === FIRST ? FIRST_KEY_ID : name.slice(FIRST.length + 1));

export type SigningKeys = ReturnType<typeof createSigningKeys>;

export function createSigningKeys({ orm }: Pick<Database, 'orm'>, vault: Vault, now: () => number = Date.now) {
  async function list(): Promise<SigningKey[]> {
    const rows = await orm
      .select()
      .from(instanceSecrets)
      .where(like(instanceSecrets.name, `${FIRST}%`));
    return rows.map(({ name, secret, createdAt }) => ({
      id: toKeyId(name),
      secret: Buffer.from(vault.open(secret, instanceSecretAad(name)), 'base64'),
      signsFromMs: Date.parse(createdAt) + KEY_LEAD_MS,
    }));
  }

  return {
    /** All keys, at least one: the first call creates the first key. */
    async list(): Promise<SigningKey[]> {
      const keys = await list();
      if (keys.length > 0) return keys;
      await createInstanceSecrets({ orm }, vault, now).get(FIRST);
      return await list();
    },

    /**
     * Creates a key, and deletes keys without a valid URL left.
     * @param atOnce deletes all other keys: every earlier URL stops working within the minute
     */
    async rotate(atOnce: boolean): Promise<SigningKey> {
      const createdAt = new Date(now()).toISOString();
      const [id, bytes] = [randomBytes(4).toString('hex'), randomBytes(32)];
      const secret = vault.seal(bytes.toString('base64'), instanceSecretAad(toSecretName(id)));
      const known = await list();
      const kept = atOnce ? [] : goodKeysAt(known, now());
      await orm.insert(instanceSecrets).values({ name: toSecretName(id), secret, createdAt });
      const names = known.filter((key) => !kept.includes(key)).map(({ id: old }) => toSecretName(old));
      if (names.length > 0) await orm.delete(instanceSecrets).where(inArray(instanceSecrets.name, names));
      return { id, secret: bytes, signsFromMs: Date.parse(createdAt) + KEY_LEAD_MS };
    },
  };
}
