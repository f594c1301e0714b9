import { DefaultFailureConverter } from '@temporalio/common';

/**
 * Moves messages and stack traces of failures into a payload, which the codec encrypts. The type of a failure stays readable.
 * The SDK loads this file by its path, in workers with Node.js' own `require`: it imports packages only, and has no types of its own.
 */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
