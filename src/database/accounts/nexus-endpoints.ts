import { asc, eq } from 'drizzle-orm';
import type { NexusEndpoint } from '../../domain/accounts/nexus-endpoint.ts';
import type { Database } from '../database.ts';
import { nexusEndpoints } from '../schema/nexus-endpoints.ts';

/** Nexus endpoints, each with the account that its callers use. */
export function createNexusEndpoints({ orm }: Pick<Database, 'orm'>, now: () => number = Date.now) {
  return {
    /** @returns the endpoint of that name, possibly an earlier one of another account, and whether it is new */
    async create(given: Omit<NexusEndpoint, 'createdAt'>): Promise<{ endpoint: NexusEndpoint; isNew: boolean }> {
      const endpoint = { ...given, createdAt: new Date(now()).toISOString() };
      const made = await orm.insert(nexusEndpoints).values(endpoint).onConflictDoNothing().returning();
      const [stored] = await orm.select().from(nexusEndpoints).where(eq(nexusEndpoints.name, given.name));
      return { endpoint: stored!, isNew: made.length > 0 };
    },

    async get(name: string): Promise<NexusEndpoint | undefined> {
      const [endpoint] = await orm.select().from(nexusEndpoints).where(eq(nexusEndpoints.name, name));
      return endpoint;
    },

    list: (): Promise<NexusEndpoint[]> => orm.select().from(nexusEndpoints).orderBy(asc(nexusEndpoints.name)),

    /** @returns whether an endpoint had that name */
    async delete(name: string): Promise<boolean> {
      const deleted = await orm.delete(nexusEndpoints).where(eq(nexusEndpoints.name, name)).returning();
      return deleted.length > 0;
    },
  };
}
