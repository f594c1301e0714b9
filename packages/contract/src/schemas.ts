/** The schemas of orders and parameters in the form of Zod, and the sentence for what they and other checks refuse. */
export * from './findings/describe-finding.ts';
export * from './findings/nearest-name.ts';
export * from './findings/place.ts';
export * from './schemas/describe-invalid.ts';
export * from './schemas/invalid-input.ts';
export * from './schemas/json-fault.ts';
export * from './schemas/parameter-shapes.ts';
export * from './schemas/parameters-schema.ts';
export * from './schemas/schema-place.ts';
