import type { z } from 'zod';
import { Failure } from './failures.ts';

/** Describes the first error of an input, with the path of its field. */
export function invalidInput(error: z.ZodError): Failure {
  const issue = error.issues[0]!;
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0]!.slice(0, 100)] : issue.path;
  const field = path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
  const detail =
    issue.code === 'unrecognized_keys'
      ? `Unknown field ${field}.`
      : `${field === '' ? 'The body' : `Field ${field}`}: ${issue.message}.`;
  return new Failure('BAD_USER_INPUT', {
    detail: printable(detail),
    ...(field === '' ? {} : { field: printable(field) }),
  });
}

/** Removes control characters and unpaired surrogates. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Surrogate}]/gu, '\u{fffd}');
}
