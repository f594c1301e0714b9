/** What a program needs that checks parameters itself: their schemas in the form of Zod, and the sentence for what they refuse. */
export { describeInvalid, printable, type InvalidField } from './describe-invalid.ts';
export { colorConfigSchema, createShape, enhancementParametersSchema, type Shape } from './parameters-schema.ts';
