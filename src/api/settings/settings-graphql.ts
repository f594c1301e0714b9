import type { SettingsRepresentation } from '../../domain/representations/account.ts';
import { builder } from '../graphql/builder.ts';
import { restText } from '../graphql/described-schema.ts';
import { versionSchema } from '../health/health-operations.ts';
import { representSettings, settingsSchema } from './settings-commands.ts';

const Settings = builder.objectRef<SettingsRepresentation>('Settings').implement({
  restSchema: settingsSchema,
  fields: (t) => ({ uploadRetentionDays: t.exposeInt('uploadRetentionDays') }),
});

builder.mutationFields((t) => ({
  updateFileRetention: t.field({
    scope: 'admin',
    type: Settings,
    nullable: true,
    description: 'Changes the retention of new uploads. Errors: BAD_USER_INPUT.',
    args: { days: t.arg.int({ required: true, description: restText(settingsSchema.shape.uploadRetentionDays) }) },
    resolve: async (_root, { days }, { deps, caller, keyFor }, info) =>
      representSettings(await deps.commands.updateFileRetention(caller, days, await keyFor(info))),
  }),
}));

const Version = builder.objectRef<{ version: string; engineVersion: string }>('Version').implement({
  restSchema: versionSchema,
  fields: (t) => ({ version: t.exposeString('version'), engineVersion: t.exposeString('engineVersion') }),
});

builder.queryFields((t) => ({
  version: t.field({
    scope: 'read',
    type: Version,
    description: 'Reads the versions of this instance.',
    resolve: (_root, _args, { deps: { version, engineVersion } }) => ({ version, engineVersion }),
  }),
}));
