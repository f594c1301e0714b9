import type { z } from 'zod';

/** The first fault of an input. */
export interface InvalidField {
  detail: string;
  /** Path of the field, such as `pages[0].number`; absent for the whole input */
  field?: string;
  /** What the field accepts, where that is a list of values */
  allowed?: readonly string[];
}

/**
 * Describes the first error of an input, with the path of its field.
 * @param whole the subject of the sentence where the whole input is wrong
 */
export function describeInvalid(error: z.ZodError, whole = 'The input'): InvalidField {
  const issue = error.issues[0]!;
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0]!.slice(0, 100)] : issue.path;
  const field = path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
  const detail =
    issue.code === 'unrecognized_keys'
      ? `Unknown field ${field}.${ownHint(issue)}`
      : `${field === '' ? whole : `Field ${field}`}: ${issue.message}.`;
  return {
    detail: printable(detail),
    ...(field !== '' && { field: printable(field) }),
    ...(issue.code === 'invalid_value' && { allowed: issue.values.map(String) }),
  };
}

/** The sentence that a schema gives for its unknown fields; empty where it gives none. */
const ownHint = ({ message }: z.core.$ZodIssue): string =>
  message.startsWith('Unrecognized key') ? '' : ` ${message}`;

/** Removes control characters and unpaired surrogates. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Surrogate}]/gu, '\u{fffd}');
}
