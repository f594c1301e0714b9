import { z } from 'zod';
import { CONTRACT_PDF_PARAMETERS, IMAGE_PARAMETERS, isPdfOption, PDF_OPTIONS } from '@burnish/engine/contract';
import { createShape } from '../enhancement/parameters-schema.ts';
import { flattenParameters } from './parameters.ts';

const optionShape = createShape(PDF_OPTIONS);

export const pdfOptionsSchema = z
  .strictObject(optionShape)
  .partial()
  .meta({ id: 'PdfOptions', description: 'For PDFs: options beyond the contract.' });

/** Parameters as records show them. */
export const shownParametersSchema = z
  .strictObject({
    ...createShape(IMAGE_PARAMETERS, 'For images: '),
    ...createShape(CONTRACT_PDF_PARAMETERS, 'For PDFs: '),
    pdf: pdfOptionsSchema,
  })
  .partial();

/** The remedy for a flat name. */
export const insteadOfFlat = (name: string): string => `Use \`pdf.${name}\`. Version 1.0.0 removes this name.`;

/** Options of PDFs beside the contract's parameters, as 1.0.0-rc.1 took them. */
const flatShape = Object.fromEntries(
  Object.entries(optionShape).map(([name, schema]) => [
    name,
    schema.meta({ description: insteadOfFlat(name), deprecated: true }),
  ]),
) as typeof optionShape;

/** Parameters as orders give them. Pass each schema that contains them to `flattened`. */
export const givenParametersSchema = shownParametersSchema
  .extend(z.object(flatShape).partial().shape)
  .meta({ id: 'EnhancementParametersInput' });

/** Moves the options of PDFs out of `pdf`, and refuses an option that is given in both places. */
export function flattened<Given extends typeof givenParametersSchema>(schema: Given) {
  return schema.transform((given, context): Omit<z.output<Given>, 'pdf'> => {
    const twice = Object.keys(given.pdf ?? {}).find((name) => isPdfOption(name) && given[name] !== undefined);
    if (twice !== undefined) {
      const message = `the order also gives ${twice} outside pdf; remove one of them`;
      context.addIssue({ code: 'custom', path: ['pdf', twice], message });
    }
    return flattenParameters(given) as Omit<z.output<Given>, 'pdf'>;
  });
}

export const enhancementParametersInput = flattened(givenParametersSchema);
