import type { SettingsRepresentation } from '../../domain/representations/account.ts';
import { builder } from '../graphql/builder.ts';
import { representSettings } from './settings-commands.ts';

const Settings = builder.objectRef<SettingsRepresentation>('Settings').implement({
  description: 'Settings of the account.',
  fields: (t) => ({
    uploadRetentionDays: t.exposeInt('uploadRetentionDays', { description: 'Days that new uploads are kept.' }),
  }),
});

builder.mutationFields((t) => ({
  updateFileRetention: t.field({
    scope: 'admin',
    type: Settings,
    nullable: true,
    description: 'Sets how long new uploads are kept. Existing uploads keep theirs. Errors: BAD_USER_INPUT.',
    args: { days: t.arg.int({ required: true, description: 'Days, 1 to 365.' }) },
    resolve: async (_root, { days }, { deps, caller, keyFor }, info) =>
      representSettings(await deps.commands.updateFileRetention(caller, days, await keyFor(info))),
  }),
}));

const Version = builder.objectRef<{ version: string; engineVersion: string }>('Version').implement({
  description: 'Versions of this instance.',
  fields: (t) => ({
    version: t.exposeString('version', { description: 'Version of Burnish.' }),
    engineVersion: t.exposeString('engineVersion', { description: 'Version of the engine that enhances.' }),
  }),
});

builder.queryFields((t) => ({
  version: t.field({
    scope: 'read',
    type: Version,
    description: 'Versions of this instance.',
    resolve: (_root, _args, { deps: { version, engineVersion } }) => ({ version, engineVersion }),
  }),
}));
