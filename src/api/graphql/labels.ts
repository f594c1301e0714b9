import type { CallerLabels } from '@burnish/contract';
import { givenLabels } from '../schemas/fields.ts';
import type { ObjectFieldBuilder } from './builder.ts';
import { restText } from './described-schema.ts';

/** The caller's metadata of a record is JSON text, like the analysis of a PDF in the contract. */
export const metadataField = <Values extends CallerLabels>(t: ObjectFieldBuilder<Values>) => ({
  customMetadata: t.string({
    nullable: true,
    description: `${restText(givenLabels.customMetadata)} As JSON text.`,
    resolve: ({ customMetadata }) => customMetadata && JSON.stringify(customMetadata),
  }),
});
