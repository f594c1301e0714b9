import { z } from 'zod';
import { RETENTION_DAYS, type Account } from '@burnish/contract';
import { changeAccount } from '../commands/change-account.ts';
import type { Caller, IdempotencyKey } from '../commands/command-types.ts';
import { requireRecord } from '../commands/checks.ts';
import type { AccountChanges } from '../../database/accounts/account-changes.ts';
import type { Accounts } from '../../database/accounts/accounts.ts';

export const settingsSchema = z
  .strictObject({
    uploadRetentionDays: z
      .int()
      .min(RETENTION_DAYS.min)
      .max(RETENTION_DAYS.max)
      .meta({
        description: `Days that new uploads are kept, ${RETENTION_DAYS.min} to ${RETENTION_DAYS.max}. Existing uploads keep their retention.`,
        example: RETENTION_DAYS.default,
      }),
  })
  .meta({ id: 'Settings', description: 'Settings of the account.' });
export type SettingsRepresentation = z.infer<typeof settingsSchema>;

export function representSettings({ retentionDays }: Pick<Account, 'retentionDays'>): SettingsRepresentation {
  return { uploadRetentionDays: retentionDays };
}

export function createSettingsCommands(deps: { accountChanges: AccountChanges; accounts: Accounts }) {
  return {
    /**
     * Sets the retention of new uploads in days; existing uploads keep their own. @throws Failure BAD_USER_INPUT with
     * field `days`
     */
    async updateFileRetention(caller: Caller, days: number, idempotencyKey: IdempotencyKey): Promise<Account> {
      const { id: accountId } = caller.account;
      const result = await changeAccount(deps, caller, {
        operation: 'updateFileRetention',
        request: days,
        idempotencyKey,
        audit: { action: 'settings.change', details: { uploadRetentionDays: days } },
        change: async ({ accounts }) => ({
          subjectId: accountId,
          value: await accounts.updateRetention(accountId, days),
        }),
      });
      return 'value' in result ? result.value : requireRecord(await deps.accounts.get(accountId));
    },
  };
}

/** What the operations and the fields of this resource use. */
export interface SettingsNeeds {
  version: string;
  engineVersion: string;
  commands: ReturnType<typeof createSettingsCommands>;
}
