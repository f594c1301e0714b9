import { type CallerLabels, MAX_CUSTOM_METADATA_BYTES, MAX_REFERENCE_LENGTH } from '../../domain/upload/upload.ts';
import type { InputFieldBuilder, ObjectFieldBuilder } from './builder.ts';

/** Labels of a record in a response. The metadata is JSON text, like the analysis of a PDF in the contract. */
export const labelFields = <Values extends CallerLabels>(t: ObjectFieldBuilder<Values>) => ({
  reference: t.string({
    nullable: true,
    description: 'Your own id, as given at creation.',
    resolve: ({ reference }) => reference,
  }),
  customMetadata: t.string({
    nullable: true,
    description: 'JSON text of your own data, as given at creation.',
    resolve: ({ customMetadata }) => customMetadata && JSON.stringify(customMetadata),
  }),
});

/** Labels in an input. */
export const labelInputFields = (t: InputFieldBuilder) => ({
  reference: t.string({
    description: `Your own id, such as an order number, 1 to ${MAX_REFERENCE_LENGTH} characters. Answers, events and lists have it; operators can read it in the Web UI of Temporal.`,
  }),
  customMetadata: t.string({
    description: `Your own data as the JSON text of an object, at most ${MAX_CUSTOM_METADATA_BYTES} bytes. Answers and events have it.`,
  }),
});
