import { randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import type { Database } from './database.ts';
import { instanceSecrets } from './schema/instance-secrets.ts';

const SECRET_BYTES = 32;

export type InstanceSecrets = ReturnType<typeof createInstanceSecrets>;

/** Keys that every process of an instance shares and that outlive a restart, such as the one that signs file addresses. */
export function createInstanceSecrets({ orm }: Database, now: () => number = Date.now) {
  return {
    /** The secret of that name, 32 bytes. The first request makes it. */
    async get(name: string): Promise<Uint8Array> {
      const secret = randomBytes(SECRET_BYTES).toString('base64');
      await orm
        .insert(instanceSecrets)
        .values({ name, secret, createdAt: new Date(now()).toISOString() })
        .onConflictDoNothing();
      const [kept] = await orm.select().from(instanceSecrets).where(eq(instanceSecrets.name, name));
      return Buffer.from(kept!.secret, 'base64');
    },
  };
}
