/** Marks a value whose payload no key of this instance has encrypted. No value of Burnish has a field of this name. */
const MARK = 'burnish:unsealed';

interface Unsealed {
  [MARK]: {
    /** Milliseconds since the epoch. Workflows and activities from before this time may carry unencrypted values */
    acceptedBeforeMs: number;
    value?: unknown;
  };
}

/** Wraps an unencrypted value, for callers that know the start time of its workflow or activity. */
export const unsealed = (acceptedBeforeMs: number, value?: unknown): Unsealed => ({
  [MARK]: { acceptedBeforeMs, value },
});

export const isUnsealed = (value: unknown): value is Unsealed =>
  typeof value === 'object' && value !== null && MARK in value;

export const UNSEALED_SENTENCE =
  'The payload is not encrypted with a key of this instance. Use the API, which encrypts its payloads.';

/**
 * Unwraps values that were sent before encryption was enabled.
 * @param beganAtMs start time of the values' workflow or activity
 * @returns undefined when a value must be rejected
 */
export function acceptUnsealed<T extends unknown[]>(values: T, beganAtMs: number): T | undefined {
  if (!values.some(isUnsealed)) return values;
  const late = values.some((value) => isUnsealed(value) && beganAtMs >= value[MARK].acceptedBeforeMs);
  return late ? undefined : (values.map((value) => (isUnsealed(value) ? value[MARK].value : value)) as T);
}
