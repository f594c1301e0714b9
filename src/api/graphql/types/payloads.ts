import type { SettingsRepresentation } from '../../../domain/representations/account.ts';
import { builder } from '../builder.ts';

export const SignedUploadUrl = builder
  .objectRef<{ uploadId: string; uploadUrl: string; expiresAt: string }>('SignedUploadUrl')
  .implement({
    description: 'Where to send a file to.',
    fields: (t) => ({
      uploadId: t.exposeID('uploadId', { description: 'The upload, for `completeSignedUpload` and all that follows.' }),
      uploadUrl: t.exposeString('uploadUrl', {
        description:
          'Takes one PUT of the raw bytes, without an API key. `Content-Type` has to be the declared MIME type. Good for 1 hour.',
      }),
      expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When the address stops being good.' }),
    }),
  });

export const Settings = builder.objectRef<SettingsRepresentation>('Settings').implement({
  description: 'Settings of the account.',
  fields: (t) => ({
    uploadRetentionDays: t.exposeInt('uploadRetentionDays', { description: 'Days that new uploads are kept.' }),
  }),
});

export const DeleteUploadsPayload = builder
  .objectRef<{ deletedUploadIds: string[] }>('DeleteUploadsPayload')
  .implement({
    description: 'What was deleted.',
    fields: (t) => ({
      deletedUploadIds: t.exposeIDList('deletedUploadIds', {
        description:
          'Those of the given ids whose upload is deleted now. Ids that are unknown or of another account are left out.',
      }),
    }),
  });

export const AnalyzePdfPayload = builder.objectRef<{ success: boolean }>('AnalyzePdfPayload').implement({
  description: 'Whether the analysis is on its way.',
  fields: (t) => ({
    success: t.exposeBoolean('success', {
      description: 'True: the request was taken on. Poll `subStatus` of the upload.',
    }),
  }),
});

export const Deleted = builder.objectRef<{ id: string }>('DeletePayload').implement({
  description: 'What was deleted.',
  fields: (t) => ({ deletedId: t.exposeID('id', { description: 'The id of what is no more.' }) }),
});

export const Version = builder.objectRef<{ version: string; engineVersion: string }>('Version').implement({
  description: 'What this instance is.',
  fields: (t) => ({
    version: t.exposeString('version', { description: 'Version of Burnish.' }),
    engineVersion: t.exposeString('engineVersion', { description: 'Version of the engine that enhances.' }),
  }),
});
