import { z } from 'zod';
import { restText } from '../graphql/described-schema.ts';
import { restType } from '../graphql/rest-types.ts';
import { mutation, query } from '../graphql/root-fields.ts';
import { versionSchema } from '../health/health-operations.ts';
import { representSettings, settingsSchema, type SettingsNeeds } from './settings-commands.ts';

const Settings = restType('Settings', settingsSchema);
const Version = restType('Version', versionSchema);

mutation('updateFileRetention', {
  scope: 'admin',
  type: Settings,
  description: 'Changes the retention of new uploads. Errors: BAD_USER_INPUT.',
  // The command checks the range, and names the field `days`.
  args: z.object({ days: z.int().meta({ description: restText(settingsSchema.shape.uploadRetentionDays) }) }),
  handle: async ({ caller, args: { days }, idempotencyKey }, { commands }: SettingsNeeds) =>
    representSettings(await commands.updateFileRetention(caller, days, idempotencyKey)),
});

query('version', {
  scope: 'read',
  type: Version,
  description: 'Reads the versions of this instance.',
  handle: (_request, { version, engineVersion }: SettingsNeeds) => ({ version, engineVersion }),
});
