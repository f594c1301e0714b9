import { z } from 'zod';
import { FILE_SIZE_BYTES, INPUT_MEDIA_TYPES } from '@burnish/contract';
import { filename, timestamp } from '../schemas/fields.ts';
import { uploadOrderShape } from '../uploads/upload-order-schemas.ts';
import { uploadWithEnhancementsShape } from '../uploads/upload-schemas.ts';

const SIZES = Object.entries(FILE_SIZE_BYTES)
  .map(([kind, { min, max }]) => `${min} to ${max} for ${kind === 'pdf' ? 'PDFs' : 'images'}`)
  .join(', ');

/** `POST /v1/uploads/signed`. */
export const createSignedUploadBody = z
  .strictObject({
    ...uploadOrderShape,
    filename,
    filesize: z
      .int()
      .min(0)
      .meta({ description: `Exact size of the file in bytes: ${SIZES}.`, example: 2_400_000 }),
    mimetype: z
      .string()
      .max(100)
      .meta({
        description: `Media type of the content: ${INPUT_MEDIA_TYPES.join(', ')}.`,
        example: 'image/jpeg',
        override: { type: 'string', enum: INPUT_MEDIA_TYPES },
      }),
  })
  .meta({ id: 'CreateSignedUpload', description: 'A file that will be sent by PUT to a signed URL.' });

export const signedUploadSchema = z
  .object({
    ...uploadWithEnhancementsShape,
    uploadUrl: z.url().meta({
      description:
        'URL for one PUT of the file within 1 hour, without an API key. The Content-Type must be the declared media type.',
    }),
    uploadUrlExpiresAt: timestamp.meta({ description: 'Expiry of the upload URL.' }),
  })
  .meta({ id: 'SignedUpload', description: 'An upload whose file is sent by PUT to a signed URL.' });
