import { z } from 'zod';
import { RETENTION_DAYS, type Account } from '../../domain/accounts/account.ts';
import type { SettingsRepresentation } from '../../domain/representations/account.ts';

export const settingsSchema = z
  .strictObject({
    uploadRetentionDays: z.int().min(RETENTION_DAYS.min).max(RETENTION_DAYS.max).meta({
      description: 'Days that new uploads are kept. Existing uploads keep theirs.',
      example: RETENTION_DAYS.default,
    }),
  })
  .meta({ id: 'Settings' });

export function representSettings({ retentionDays }: Pick<Account, 'retentionDays'>): SettingsRepresentation {
  return { uploadRetentionDays: retentionDays };
}
