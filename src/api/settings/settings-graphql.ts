import { builder } from '../graphql/builder.ts';
import { restText } from '../graphql/described-schema.ts';
import { restType } from '../graphql/rest-types.ts';
import { versionSchema } from '../health/health-operations.ts';
import { representSettings, settingsSchema } from './settings-commands.ts';

const Settings = restType('Settings', settingsSchema);

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

const Version = restType('Version', versionSchema);

builder.queryFields((t) => ({
  version: t.field({
    scope: 'read',
    type: Version,
    description: 'Reads the versions of this instance.',
    resolve: (_root, _args, { deps: { version, engineVersion } }) => ({ version, engineVersion }),
  }),
}));
