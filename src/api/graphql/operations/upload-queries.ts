import { found } from '../../commands/require-record.ts';
import { representEnhancement, representUpload } from '../../uploads/upload-schemas.ts';
import { builder } from '../builder.ts';
import { connectionType, pageArgs, pageRequest } from '../connection.ts';
import { UploadStatus } from '../enums.ts';
import { knownId } from '../input.ts';
import { EnhancedImageType, UploadType } from '../record-types.ts';

const UploadConnection = connectionType('Upload', UploadType);
const EnhancedImageConnection = connectionType('EnhancedImage', EnhancedImageType);

builder.queryFields((t) => ({
  upload: t.field({
    type: UploadType,
    nullable: true,
    description: 'One upload. NOT_FOUND when there is none by that id in this account.',
    args: { id: t.arg.id({ required: true, description: 'Id of the upload.' }) },
    resolve: async (_root, { id }, { deps, caller }) =>
      representUpload(found(await deps.uploads.get(caller.account.id, knownId('upl', id))), deps.addresses),
  }),
  uploads: t.field({
    type: UploadConnection,
    nullable: true,
    description: 'The uploads of the account, the newest first. BAD_USER_INPUT for a page that cannot be.',
    args: {
      ...pageArgs,
      status: t.arg({ type: UploadStatus, description: 'Only uploads that are in this state.' }),
    },
    resolve: async (_root, { status, ...page }, { deps, caller }) => {
      const request = { ...pageRequest(page), ...(status ? { status } : {}) };
      const { items, nextCursor } = await deps.uploads.list(caller.account.id, request);
      return { items: items.map((each) => representUpload(each, deps.addresses)), nextCursor };
    },
  }),
  enhancedImage: t.field({
    type: EnhancedImageType,
    nullable: true,
    description: 'One enhancement. NOT_FOUND when there is none by that id in this account.',
    args: { id: t.arg.id({ required: true, description: 'Id of the enhancement.' }) },
    resolve: async (_root, { id }, { deps, caller }) =>
      representEnhancement(found(await deps.enhancements.get(caller.account.id, knownId('enh', id))), deps.addresses),
  }),
  enhancedImages: t.field({
    type: EnhancedImageConnection,
    nullable: true,
    description: 'The enhancements of the account, the newest first. BAD_USER_INPUT for a page that cannot be.',
    args: pageArgs,
    resolve: async (_root, page, { deps, caller }) => {
      const { items, nextCursor } = await deps.enhancements.list(caller.account.id, pageRequest(page));
      return { items: items.map((each) => representEnhancement(each, deps.addresses)), nextCursor };
    },
  }),
}));
