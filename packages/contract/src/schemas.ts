/** The schemas of orders and parameters in the form of Zod, and the sentence for what they refuse. */
export * from './schemas/describe-invalid.ts';
export * from './schemas/invalid-input.ts';
export * from './schemas/parameter-shapes.ts';
export * from './schemas/parameters-schema.ts';
