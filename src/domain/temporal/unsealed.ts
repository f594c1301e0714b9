/** Marks a value whose payload no key of this instance has encrypted. No value of ours has a field of this name. */
const MARK = 'burnish:unsealed';

interface Unsealed {
  [MARK]: {
    /** Milliseconds since the epoch: what began earlier was sent before encryption was on */
    acceptedBeforeMs: number;
    value?: unknown;
  };
}

/** Wraps a value that came without encryption, for callers that know when its workflow or activity began. */
export const unsealed = (acceptedBeforeMs: number, value?: unknown): Unsealed => ({
  [MARK]: { acceptedBeforeMs, value },
});

export const isUnsealed = (value: unknown): value is Unsealed =>
  typeof value === 'object' && value !== null && MARK in value;

/** The sentence of every refusal. */
export const UNSEALED_SENTENCE =
  'The payload is not encrypted with a key of this instance. Use the API, which encrypts what it sends.';

/**
 * Takes the marks off values that were sent before encryption was on.
 * @param beganAtMs when the workflow or activity that the values belong to began
 * @returns undefined when a value is to be refused
 */
export function acceptUnsealed<T extends unknown[]>(values: T, beganAtMs: number): T | undefined {
  if (!values.some(isUnsealed)) return values;
  const late = values.some((value) => isUnsealed(value) && beganAtMs >= value[MARK].acceptedBeforeMs);
  return late ? undefined : (values.map((value) => (isUnsealed(value) ? value[MARK].value : value)) as T);
}
