import { timingSafeEqual } from 'node:crypto';
import { asc, eq, getTableColumns } from 'drizzle-orm';
import { type NexusEndpoint, PREVIOUS_TOKEN_MS } from '@burnish/contract';
import type { Database } from '../database.ts';
import { nexusEndpoints } from '../schema/nexus-endpoints.ts';
import { isOver } from './api-keys.ts';
import { hashToken, newToken } from './sessions.ts';

/** Longer input is never a token, and is not hashed. */
const MAX_TOKEN_LENGTH = 200;

const { tokenHash, previousTokenHash, ...SHOWN } = getTableColumns(nexusEndpoints);

/** A token of 256 random bits. Its start lets scanners of sources find it. */
const mintToken = (): string => `bne_${newToken()}`;

/** Nexus endpoints, each with the account that its callers use. Only hashes of the tokens are stored. */
export function createNexusEndpoints({ orm }: Pick<Database, 'orm'>, now: () => number = Date.now) {
  const iso = (ms: number): string => new Date(ms).toISOString();
  return {
    /**
     * @returns the endpoint of that name, possibly an earlier one of another account, and the token of a new one, which cannot
     * be read again
     */
    async create(
      given: Pick<NexusEndpoint, 'name' | 'accountId' | 'scopes'>,
    ): Promise<{ endpoint: NexusEndpoint; token: string | null }> {
      const token = mintToken();
      const at = iso(now());
      const endpoint = { ...given, createdAt: at, tokenCreatedAt: at, tokenHash: hashToken(token) };
      const made = await orm.insert(nexusEndpoints).values(endpoint).onConflictDoNothing().returning(SHOWN);
      if (made.length > 0) return { endpoint: made[0]!, token };
      const [stored] = await orm.select(SHOWN).from(nexusEndpoints).where(eq(nexusEndpoints.name, given.name));
      return { endpoint: stored!, token: null };
    },

    async get(name: string): Promise<NexusEndpoint | undefined> {
      const [endpoint] = await orm.select(SHOWN).from(nexusEndpoints).where(eq(nexusEndpoints.name, name));
      return endpoint;
    },

    /** The endpoint of a name, and whether a text is one of its valid tokens, compared in constant time. */
    async prove(name: string, token: string): Promise<{ endpoint: NexusEndpoint; proven: boolean } | undefined> {
      const [found] = await orm
        .select({ ...SHOWN, tokenHash, previousTokenHash })
        .from(nexusEndpoints)
        .where(eq(nexusEndpoints.name, name));
      if (found === undefined) return undefined;
      const { tokenHash: present, previousTokenHash: previous, ...endpoint } = found;
      const isPreviousValid = endpoint.previousTokenUntil !== null && !isOver(endpoint.previousTokenUntil, now());
      const given = Buffer.from(hashToken(token.slice(0, MAX_TOKEN_LENGTH)));
      const matches = [present, isPreviousValid ? previous : null].map(
        (hash) => hash !== null && timingSafeEqual(Buffer.from(hash), given),
      );
      return { endpoint, proven: matches.includes(true) };
    },

    /**
     * Replaces the token.
     * @param atOnce the previous token ends now, instead of after `PREVIOUS_TOKEN_MS`
     * @returns the new token, which cannot be read again; undefined for an unknown endpoint
     */
    async rotateToken(
      name: string,
      { atOnce }: { atOnce: boolean },
    ): Promise<{ endpoint: NexusEndpoint; token: string } | undefined> {
      const token = mintToken();
      const [endpoint] = await orm
        .update(nexusEndpoints)
        .set({
          tokenHash: hashToken(token),
          tokenCreatedAt: iso(now()),
          previousTokenHash: atOnce ? null : tokenHash,
          previousTokenUntil: atOnce ? null : iso(now() + PREVIOUS_TOKEN_MS),
          ...(atOnce && { ticketsSince: iso(now()) }),
        })
        .where(eq(nexusEndpoints.name, name))
        .returning(SHOWN);
      return endpoint && { endpoint, token };
    },

    list: (): Promise<NexusEndpoint[]> => orm.select(SHOWN).from(nexusEndpoints).orderBy(asc(nexusEndpoints.name)),

    /** @returns whether an endpoint had that name */
    async delete(name: string): Promise<boolean> {
      const deleted = await orm.delete(nexusEndpoints).where(eq(nexusEndpoints.name, name)).returning();
      return deleted.length > 0;
    },
  };
}

export type NexusEndpoints = ReturnType<typeof createNexusEndpoints>;
