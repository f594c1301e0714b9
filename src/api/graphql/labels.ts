import type { CallerLabels } from '../../domain/upload/upload.ts';
import { customMetadataText, givenLabels } from '../schemas/fields.ts';
import type { InputFieldBuilder, ObjectFieldBuilder } from './builder.ts';
import { restText } from './described-schema.ts';

/** Labels of a record in a response. The metadata is JSON text, like the analysis of a PDF in the contract. */
export const labelFields = <Values extends CallerLabels>(t: ObjectFieldBuilder<Values>) => ({
  reference: t.string({
    nullable: true,
    resolve: ({ reference }) => reference,
  }),
  customMetadata: t.string({
    nullable: true,
    description: `${restText(givenLabels.customMetadata)} As JSON text.`,
    resolve: ({ customMetadata }) => customMetadata && JSON.stringify(customMetadata),
  }),
});

export const labelInputFields = (t: InputFieldBuilder) => ({
  reference: t.string(),
  customMetadata: t.string({ description: restText(customMetadataText) }),
});
