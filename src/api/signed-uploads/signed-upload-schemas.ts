import { z } from 'zod';
import { INPUT_MEDIA_TYPES } from '../../domain/upload/media.ts';
import { filename, timestamp } from '../schemas/fields.ts';
import { uploadOrderShape, uploadWithEnhancementsShape } from '../uploads/upload-schemas.ts';

/** `POST /v1/uploads/signed`. */
export const createSignedUploadBody = z
  .strictObject({
    ...uploadOrderShape,
    filename,
    filesize: z.int().min(0).meta({ description: 'Exact size of the file, bytes.', example: 2_400_000 }),
    mimetype: z
      .string()
      .max(100)
      .meta({
        description: 'Media type of the content.',
        example: 'image/jpeg',
        override: { type: 'string', enum: INPUT_MEDIA_TYPES },
      }),
  })
  .meta({ id: 'CreateSignedUpload' });

export const signedUploadSchema = z
  .object({
    ...uploadWithEnhancementsShape,
    uploadUrl: z.url().meta({ description: 'Takes one PUT of the file, with the declared type as its Content-Type.' }),
    uploadUrlExpiresAt: timestamp,
  })
  .meta({ id: 'SignedUpload', description: 'An upload whose file comes by PUT.' });
