import { DefaultFailureConverter } from '@temporalio/common';

const encoded = new DefaultFailureConverter({ encodeCommonAttributes: true });
const readable = new DefaultFailureConverter({ encodeCommonAttributes: false });
let current = encoded;

/** Decides for the failures of this workflow whether their messages and stack traces go into a payload. Default: they do. */
export function encodeFailures(wanted = true) {
  current = wanted ? encoded : readable;
}

/**
 * Moves messages and stack traces of failures into a payload, which the codec encrypts. The type of a failure stays readable.
 * The SDK loads this file by its path, and uses Node.js' own `require` in workers. The file therefore imports packages only,
 * and has no types.
 */
export const failureConverter = new Proxy(encoded, { get: (_, name) => Reflect.get(current, name) });
