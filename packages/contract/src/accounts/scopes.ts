/** Scopes of API keys, in display order. No scope includes another. */
export const SCOPES = ['read', 'uploads', 'destinations', 'webhooks', 'keys', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

export const SCOPE_WORDS: Record<Scope, string> = {
  read: 'Read uploads, enhancements, previews, credits, settings and versions',
  uploads: 'Upload and enhance files, approve estimates, cancel and delete work',
  destinations: 'Write results of orders to a bucket or to a URL, besides the scope uploads',
  webhooks: 'Read and change webhook endpoints, and send events again',
  keys: 'Read, create and delete API keys with at most its own scopes',
  admin: 'Change settings and read the audit log',
};

export interface KeyPowers {
  scopes: Scope[];
  /** ISO 8601; null: the key never expires */
  expiresAt: string | null;
}

/** Removes duplicates, and sorts scopes in display order. */
export function sortedScopes(scopes: readonly Scope[]): Scope[] {
  return SCOPES.filter((scope) => scopes.includes(scope));
}
