import type { Account } from '../../domain/accounts/account.ts';
import { Failure } from '../../domain/failures.ts';
import { isId } from '../../domain/ids.ts';
import type { ApiKey } from '../ports.ts';
import { changeAccount, madeBefore } from '../commands/change-account.ts';
import { isPlainText } from '../schemas/filenames.ts';
import { found } from '../commands/require-record.ts';
import { powersFor } from '../commands/key-powers.ts';
import type { WantedPowers } from '../commands/key-powers.ts';
import type { Caller, CommandDeps, IdempotencyKey } from '../commands/command-types.ts';

/** The longest name of a key, in UTF-16 units. */
export const MAX_KEY_NAME_LENGTH = 100;

/** A key that is asked for. */
export interface WantedKey extends WantedPowers {
  name: string;
}

export interface ApiKeyWithSecret {
  apiKey: ApiKey;
  /** The key itself, shown this once; null in the answer to a repetition under the same idempotency key */
  key: string | null;
}

export interface AccountCommands {
  /** @throws Failure BAD_USER_INPUT with field `name` or `expiresAt`; FORBIDDEN for a key that may more than the caller's; BAD_USER_INPUT because the account has too many */
  createApiKey(caller: Caller, wanted: WantedKey, key: IdempotencyKey): Promise<ApiKeyWithSecret>;
  /** Also the key that asks. @throws Failure NOT_FOUND */
  deleteApiKey(caller: Caller, keyId: string, key: IdempotencyKey): Promise<void>;
  /** Days that new uploads are kept; those that exist keep theirs. @throws Failure BAD_USER_INPUT with field `days` */
  updateFileRetention(caller: Caller, days: number, key: IdempotencyKey): Promise<Account>;
}

/** A name for a key, as it is kept. @throws Failure BAD_USER_INPUT with field `name` */
export function keyName(given: string): string {
  const name = given.trim();
  if (name !== '' && name.length <= MAX_KEY_NAME_LENGTH && isPlainText(name)) return name;
  const detail = `Expected a name of 1 to ${MAX_KEY_NAME_LENGTH} characters without control characters.`;
  throw new Failure('BAD_USER_INPUT', { field: 'name', detail });
}

/** What an account changes about itself. */
export function createAccountCommands(deps: CommandDeps): AccountCommands {
  return {
    async createApiKey(caller, wanted, key) {
      const { id: accountId } = caller.account;
      const name = keyName(wanted.name);
      const powers = powersFor(caller, wanted, deps.now());
      const result = await changeAccount(deps, caller, {
        operation: 'createApiKey',
        request: wanted.scopes === undefined && wanted.expiresAt === undefined ? name : { ...wanted, name },
        key,
        audit: { action: 'api_key.create', details: { name, ...powers } },
        async change({ apiKeys }) {
          const value = await apiKeys.create(accountId, name, powers);
          return { subjectId: value.apiKey.id, value };
        },
      });
      if ('value' in result) return result.value;
      return { apiKey: madeBefore(await deps.apiKeys.get(accountId, result.repeated)), key: null };
    },

    async deleteApiKey(caller, keyId, key) {
      await changeAccount(deps, caller, {
        operation: 'deleteApiKey',
        request: keyId,
        key,
        audit: { action: 'api_key.delete' },
        async change({ apiKeys }) {
          const removed = isId('key', keyId) && (await apiKeys.remove(caller.account.id, keyId));
          if (!removed) throw new Failure('NOT_FOUND');
          return { subjectId: keyId, value: undefined };
        },
      });
    },

    async updateFileRetention(caller, days, key) {
      const { id: accountId } = caller.account;
      const result = await changeAccount(deps, caller, {
        operation: 'updateFileRetention',
        request: days,
        key,
        audit: { action: 'settings.change', details: { uploadRetentionDays: days } },
        change: async ({ accounts }) => ({
          subjectId: accountId,
          value: await accounts.updateRetention(accountId, days),
        }),
      });
      return 'value' in result ? result.value : found(await deps.accounts.get(accountId));
    },
  };
}
