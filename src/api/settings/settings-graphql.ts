import { z } from 'zod';
import { restText } from '../graphql/described-schema.ts';
import { recordType } from '../graphql/rest-types.ts';
import { type SchemaPart, mutation } from '../graphql/root-fields.ts';
import { representSettings, settingsSchema, type SettingsNeeds } from './settings-commands.ts';

export const settingsParts: SchemaPart[] = [
  mutation('updateFileRetention', {
    scope: 'admin',
    type: recordType(settingsSchema),
    description: 'Changes the retention of new uploads. Errors: BAD_USER_INPUT.',
    // The command checks the range, and names the field `days`.
    args: z.object({ days: z.int().meta({ description: restText(settingsSchema.shape.uploadRetentionDays) }) }),
    handle: async ({ caller, args: { days }, idempotencyKey }, { commands }: SettingsNeeds) =>
      representSettings(await commands.updateFileRetention(caller, days, idempotencyKey)),
  }),
];
