import { builder } from '../graphql/builder.ts';

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
    nullable: true,
    description: 'Versions of this instance.',
    resolve: (_root, _args, { deps: { version, engineVersion } }) => ({ version, engineVersion }),
  }),
}));
