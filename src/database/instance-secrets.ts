import { randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import type { Vault } from '../secrets/vault.ts';
import type { Database } from './database.ts';
import { instanceSecrets } from './schema/instance-secrets.ts';

const SECRET_BYTES = 32;
/** The moment from which payloads are encrypted is kept as a secret of this name. */
const ENCRYPTED_SINCE = 'payloads-encrypted';

/** Where the vault keeps the secret of that name. */
export const instanceSecretPlace = (name: string): string => `instance_secrets/${name}/secret`;

export type InstanceSecrets = ReturnType<typeof createInstanceSecrets>;

/** Keys that every process of an instance shares and that outlive a restart, such as the one that signs file addresses. */
export function createInstanceSecrets({ orm }: Pick<Database, 'orm'>, vault: Vault, now: () => number = Date.now) {
  async function keep(name: string) {
    const place = instanceSecretPlace(name);
    const secret = vault.seal(randomBytes(SECRET_BYTES).toString('base64'), place);
    await orm
      .insert(instanceSecrets)
      .values({ name, secret, createdAt: new Date(now()).toISOString() })
      .onConflictDoNothing();
    const [kept] = await orm.select().from(instanceSecrets).where(eq(instanceSecrets.name, name));
    return kept!;
  }
  return {
    /** The secret of that name, 32 bytes. The first request makes it. @throws Error when it cannot be decrypted */
    async get(name: string): Promise<Uint8Array> {
      const { secret } = await keep(name);
      return Buffer.from(vault.open(secret, instanceSecretPlace(name)), 'base64');
    },

    /** Notes that payloads are encrypted from now on. @returns since when, in milliseconds since the epoch */
    payloadsEncryptedSince: async (): Promise<number> => Date.parse((await keep(ENCRYPTED_SINCE)).createdAt),

    /** Forgets it: when encryption comes on again, workflows that began without it go on. */
    async payloadsAreNotEncrypted(): Promise<void> {
      await orm.delete(instanceSecrets).where(eq(instanceSecrets.name, ENCRYPTED_SINCE));
    },
  };
}
