/** What an API key may do, in the order in which they are shown. None of them includes another. */
export const SCOPES = ['read', 'uploads', 'webhooks', 'keys', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** What each allows, for people. */
export const SCOPE_WORDS: Record<Scope, string> = {
  read: 'Read uploads, enhancements, previews, credits, settings and versions',
  uploads: 'Upload, enhance, decide, cancel and delete',
  webhooks: 'Read and change webhook endpoints, and send events again',
  keys: 'Read, make and delete API keys, none of them stronger than itself',
  admin: 'Change settings and read the audit log',
};

/** What a key may do, and until when. */
export interface KeyPowers {
  scopes: Scope[];
  /** ISO 8601; null: it does not expire */
  expiresAt: string | null;
}

/** The same scopes without repetitions, in their usual order. */
export function sortedScopes(scopes: readonly Scope[]): Scope[] {
  return SCOPES.filter((scope) => scopes.includes(scope));
}
