import { z } from 'zod';
import { CONTRACT_PDF_PARAMETERS, IMAGE_PARAMETERS } from '../engine/parameter-table.ts';
import { PDF_OPTIONS } from '../engine/pdf-options.ts';
import { createShape } from './parameter-shapes.ts';
import { flattenParameters, type ParametersRepresentation } from '../representations/parameters.ts';

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

/** Maximum number of enhancements in one order. */
export const MAX_ORDERED_ENHANCEMENTS = 20;

/** `enhancements` in a sentence, as JSON. */
export const ENHANCEMENTS_EXAMPLE = '[{"upscalingFactor":"X2"}]';

/** The `enhancements` of an order, of a batch and of a preset. @param element schema of one of them */
export function enhancementList<Element extends z.ZodType>(
  element: Element,
  { min = 1, max = MAX_ORDERED_ENHANCEMENTS }: { min?: number; max?: number } = {},
): z.ZodArray<Element> {
  const number = max === 1 ? '1 enhancement' : `${min} to ${max} enhancements`;
  const error = `expected an array of ${number}, such as ${ENHANCEMENTS_EXAMPLE}`;
  return z.array(element, { error }).min(min, error).max(max, error);
}

/** Options of an object whose refusal of an unknown field has a further sentence. */
export const hintAtUnknown = (sentence: string): z.core.$ZodObjectParams => ({
  error: ({ code }) => (code === 'unrecognized_keys' ? sentence : undefined),
});

/** The enhancement of a preset. */
export const enhancementParametersInput = flattened(
  z
    .strictObject(parametersSchema.shape, hintAtUnknown('In a preset, an enhancement has parameters alone.'))
    .meta({ id: 'EnhancementParametersInput' }),
);
