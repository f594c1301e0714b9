import { enhancementList } from '@burnish/contract/schemas';
import { enhancementInput } from '../enhancements/enhancement-parameters-graphql.ts';
import { restText } from '../graphql/described-schema.ts';
import { customMetadataText } from '../schemas/fields.ts';
import { pdfPassword, uploadOrderShape } from './upload-order-schemas.ts';

/** A document with a password in its text appears in logs of proxies. */
export const passwordVariable = pdfPassword.meta({ description: `${restText(pdfPassword)} Send it as a variable.` });

const { reference, customMetadata: _metadata, ...others } = uploadOrderShape;

/** The fields of an upload in GraphQL: as in REST, with metadata as JSON text. */
export const uploadInputShape = {
  ...others,
  enhancements: enhancementList(enhancementInput, { min: 0 })
    .optional()
    .meta({ description: restText(uploadOrderShape.enhancements) }),
  password: passwordVariable.optional(),
  reference,
  customMetadata: customMetadataText.optional(),
};
