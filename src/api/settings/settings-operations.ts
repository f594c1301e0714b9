import { ok } from '../rest/answers.ts';
import { operation } from '../rest/operation.ts';
import { representSettings, settingsSchema, type SettingsNeeds } from './settings-commands.ts';

const tag = 'Account';

/** `/v1/settings`: settings of the account. */
export const settingsOperations = [
  operation({
    operationId: 'getSettings',
    scope: 'read',
    method: 'get',
    path: '/v1/settings',
    tag,
    summary: 'Read the settings of the account',
    description: 'Settings apply to new uploads.',
    answer: ok('The settings.', settingsSchema),
    handle: ({ caller }) => representSettings(caller.account),
  }),

  operation({
    operationId: 'updateSettings',
    scope: 'admin',
    method: 'patch',
    path: '/v1/settings',
    tag,
    summary: 'Change the retention of new uploads',
    description: 'Existing uploads keep their retention.',
    body: settingsSchema,
    example: { uploadRetentionDays: 7 },
    answer: ok('The settings after the change.', settingsSchema),
    handle: async ({ caller, body, idempotencyKey }, { commands }: SettingsNeeds) =>
      representSettings(await commands.updateFileRetention(caller, body.uploadRetentionDays, idempotencyKey)),
  }),
];
