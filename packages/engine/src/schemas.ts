/** What a program needs that checks parameters itself: their schemas in the form of Zod, and the sentence for what they refuse. */
export {
  colorConfigSchema,
  createShape,
  describeInvalid,
  enhancementParametersSchema,
  printable,
  type InvalidField,
  type Shape,
} from '@burnish/contract/schemas';
