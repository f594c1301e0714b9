import { Failure, isId } from '@burnish/contract';
import type { ApiKey, ApiKeys } from '../../database/accounts/api-keys.ts';
import { changeAccount, requireEarlier } from '../commands/change-account.ts';
import { powersFor, type PowersRequest } from '../commands/checks.ts';
import type { Caller, IdempotencyKey } from '../commands/command-types.ts';
import { isPlainText } from '../schemas/fields.ts';
import { MAX_KEY_NAME_LENGTH } from './api-key-schemas.ts';
import type { AccountChanges } from '../../database/accounts/account-changes.ts';

export interface KeyRequest extends PowersRequest {
  name: string;
  /** Whether the key belongs to the test account; always for a test account */
  test?: boolean | undefined;
}

export interface ApiKeyWithSecret {
  apiKey: ApiKey;
  /** The key itself, shown once; null when the request repeats an earlier one with the same idempotency key */
  key: string | null;
}

/** Normalizes the name of a key. @throws Failure BAD_USER_INPUT with field `name` */
export function keyName(given: string): string {
  const name = given.trim();
  if (name !== '' && name.length <= MAX_KEY_NAME_LENGTH && isPlainText(name)) return name;
  const detail = `The name is not valid. Send 1 to ${MAX_KEY_NAME_LENGTH} characters without control characters.`;
  throw new Failure('BAD_USER_INPUT', { field: 'name', detail });
}

export function createApiKeyCommands(deps: { accountChanges: AccountChanges; apiKeys: ApiKeys; now: () => number }) {
  return {
    /**
     * Creates a key.
     * @throws Failure BAD_USER_INPUT with field `name` or `expiresAt`, or because the account has too many keys;
     * FORBIDDEN for a key with more powers than the caller's
     */
    async createApiKey(caller: Caller, wanted: KeyRequest, idempotencyKey: IdempotencyKey): Promise<ApiKeyWithSecret> {
      const { id: accountId } = caller.account;
      const name = keyName(wanted.name);
      const powers = powersFor(caller, wanted, deps.now());
      const test = wanted.test === true || caller.account.testOf !== null;
      const result = await changeAccount(deps, caller, {
        operation: 'createApiKey',
        request: { ...wanted, name },
        idempotencyKey,
        audit: { action: 'api_key.create', details: { name, ...powers, ...(test && { test }) } },
        async change({ accounts, apiKeys }) {
          const { id } = test ? await accounts.ensureTestAccount(accountId) : caller.account;
          const value = await apiKeys.create(id, name, { ...powers, test });
          return { subjectId: value.apiKey.id, value };
        },
      });
      if ('value' in result) return result.value;
      return { apiKey: requireEarlier(await deps.apiKeys.get(accountId, result.repeated)), key: null };
    },

    /**
     * Deletes a key, even the key of the request itself.
     * @throws Failure NOT_FOUND; FORBIDDEN for a key with more scopes than the caller's
     */
    async deleteApiKey(caller: Caller, keyId: string, idempotencyKey: IdempotencyKey): Promise<void> {
      const name = isId('key', keyId) ? ((await deps.apiKeys.get(caller.account.id, keyId))?.name ?? null) : null;
      await changeAccount(deps, caller, {
        operation: 'deleteApiKey',
        request: keyId,
        idempotencyKey,
        audit: { action: 'api_key.delete', details: { name } },
        async change({ apiKeys }) {
          const known = isId('key', keyId) ? await apiKeys.get(caller.account.id, keyId) : undefined;
          if (known === undefined) throw new Failure('NOT_FOUND');
          const missing = known.scopes.filter((scope) => !caller.scopes.includes(scope));
          if (missing.length > 0) {
            const detail = `A key cannot delete a key with scopes that it lacks: ${missing.join(', ')}. Use a key with these scopes.`;
            throw new Failure('FORBIDDEN', { detail });
          }
          if (!(await apiKeys.remove(caller.account.id, keyId))) throw new Failure('NOT_FOUND');
          return { subjectId: keyId, value: undefined };
        },
      });
    },
  };
}

/** What the operations and the fields of this resource use. */
export interface ApiKeyNeeds {
  apiKeys: ApiKeys;
  commands: ReturnType<typeof createApiKeyCommands>;
}
