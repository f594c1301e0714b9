import { DefaultFailureConverter } from '@temporalio/common';

/**
 * Moves messages and stack traces of failures into a payload, which the codec encrypts. The type of a failure stays readable.
 * The SDK loads this file by its path, and uses Node.js' own `require` in workers. The file therefore imports packages only,
 * and exports no types.
 */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
