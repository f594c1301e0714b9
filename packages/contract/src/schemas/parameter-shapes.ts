import { z } from 'zod';
import { COLOR_ADJUSTMENTS, IMAGE_PARAMETERS, PDF_PARAMETERS, type ValueOf } from '../engine/parameter-table.ts';
import { MAX_IMAGE_CHOICES } from '../engine/image-kinds.ts';
import { LOOK_QUANTITY_NAMES, MOST_LOOK_VALUE } from '../engine/look.ts';
import { MAX_SAVED_REFERENCE_LENGTH } from '../enhancement/saved-name.ts';
import { MAX_PAGE_CHOICES, PAGE_CHOICES } from '../engine/page-choices.ts';
import type { ParameterField } from '../engine/parameter-field.ts';

export type Shape<Table> = { -readonly [Name in keyof Table]: z.ZodType<ValueOf<Table[Name]>, ValueOf<Table[Name]>> };

/** Builds one schema per field of a table, with its bounds and its description. @param files to which the table applies */
export function createShape<Table extends Record<string, ParameterField>>(table: Table, files = ''): Shape<Table> {
  const fields = Object.entries(table).map(([name, field]) => [
    name,
    createSchema(field).describe(`${isForAll(field) ? '' : files}${field.description}`),
  ]);
  return Object.fromEntries(fields) as Shape<Table>;
}

const isForAll = (field: ParameterField): boolean => field.type === 'number' && field.forPdfs === true;

function createSchema(field: ParameterField): z.ZodType {
  switch (field.type) {
    case 'choice':
      return field.orLook === true
        ? z.union([z.enum(Object.keys(field.values)), orderedLookSchema])
        : z.enum(Object.keys(field.values));
    case 'choices':
      return z.array(z.enum(Object.keys(field.values))).max(Object.keys(field.values).length);
    case 'images':
      return imageChoicesSchema;
    case 'pages':
      return pageChoicesSchema;
    case 'number': {
      const number = field.integer === true ? z.number().int() : z.number();
      const bounded = number.min(field.min);
      return field.max === undefined ? bounded : bounded.max(field.max);
    }
    case 'boolean':
      return z.boolean();
    case 'string':
      return z.string().max(field.maxLength).regex(new RegExp(field.pattern), `expected ${field.expected}`);
    case 'color':
      return colorConfigSchema;
  }
}

export const colorConfigSchema = z
  .strictObject(createShape(COLOR_ADJUSTMENTS))
  .partial()
  .meta({ id: 'CustomColorConfig' });

const imageChoicesSchema = z
  .record(z.string().regex(/^[1-9]\d{0,6}$/, 'expected the number of an image'), z.strictObject({ color: z.boolean() }))
  .refine(
    (choices) => Object.keys(choices).length <= MAX_IMAGE_CHOICES,
    `expected at most ${MAX_IMAGE_CHOICES} images`,
  );

const pageChoicesSchema = z
  .record(z.string().regex(/^[1-9]\d{0,4}$/, 'expected the number of a page'), z.enum(PAGE_CHOICES))
  .refine((choices) => Object.keys(choices).length <= MAX_PAGE_CHOICES, `expected at most ${MAX_PAGE_CHOICES} pages`);

/** The look that an order names. */
const orderedLookSchema = z
  .strictObject({
    look: z.string().max(MAX_SAVED_REFERENCE_LENGTH).meta({
      description: 'Look of the account: `warm` for its latest version, or `warm@3` for version 3.',
      example: 'warm@3',
    }),
  })
  .meta({ id: 'OrderedLook', description: 'A look of the account in place of a mode.' });

const value = z.number().min(-MOST_LOOK_VALUE).max(MOST_LOOK_VALUE);
export const lookValuesSchema = z.strictObject({
  ranges: z.partialRecord(z.enum(LOOK_QUANTITY_NAMES), z.tuple([value, value])),
  localLight: z.number().min(0).max(1),
});

/** Parameters as workflows and the database keep them: a look with its values. */
export const enhancementParametersSchema = z
  .strictObject({
    ...createShape(IMAGE_PARAMETERS),
    ...createShape(PDF_PARAMETERS),
    mode: z.union([
      z.enum(Object.keys(IMAGE_PARAMETERS.mode.values)),
      orderedLookSchema.extend({ values: lookValuesSchema.optional() }),
    ]),
  })
  .partial();
