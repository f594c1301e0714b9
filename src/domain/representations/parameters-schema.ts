import { z } from 'zod';
import { CONTRACT_PDF_PARAMETERS, IMAGE_PARAMETERS, PDF_OPTIONS } from '@burnish/engine/contract';
import { createShape } from '@burnish/engine/schemas';
import { flattenParameters, type ParametersRepresentation } from './parameters.ts';

export const pdfOptionsSchema = z
  .strictObject(createShape(PDF_OPTIONS))
  .partial()
  .meta({ id: 'PdfOptions', description: 'For PDFs: options beyond the contract.' });

/** Parameters as orders give them and records show them. Pass each schema of an order that contains them to `flattened`. */
export const parametersSchema = z
  .strictObject({
    ...createShape(IMAGE_PARAMETERS, 'For images: '),
    ...createShape(CONTRACT_PDF_PARAMETERS, 'For PDFs: '),
    pdf: pdfOptionsSchema,
  })
  .partial();

/** Moves the options of PDFs out of `pdf`, as workflows keep them. */
export function flattened<Given extends typeof parametersSchema>(schema: Given) {
  return schema.transform(
    (given) => flattenParameters(given as ParametersRepresentation) as Omit<z.output<Given>, 'pdf'>,
  );
}

export const enhancementParametersInput = flattened(parametersSchema.meta({ id: 'EnhancementParametersInput' }));
