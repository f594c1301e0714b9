import type { EnhancementRepresentation } from '../enhancements/enhancement-schemas.ts';
import { builder } from '../graphql/builder.ts';
import type { UploadRepresentation } from './upload-schemas.ts';

/*
 * Names and values of record types that refer to each other; their resources implement them. The values are the bodies of the REST
 * interface, so that both interfaces agree.
 */

export const UploadType = builder.objectRef<UploadRepresentation>('Upload');
export const EnhancedImageType = builder.objectRef<EnhancementRepresentation>('EnhancedImage');
