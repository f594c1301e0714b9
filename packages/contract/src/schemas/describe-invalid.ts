import { z } from 'zod';
import { describeFinding, type DescribedFinding, type Finding } from '../findings/describe-finding.ts';
import type { Path, Place } from '../findings/place.ts';
import { placeOf } from './schema-place.ts';

/** The first fault of an input. */
export type InvalidField = DescribedFinding;

/** What was checked. */
export interface Checked {
  schema: z.core.$ZodType;
  given: unknown;
}

/**
 * Describes the first error of an input: the field, its value, what it allows, and the nearest name.
 * @param whole the subject of the sentence where the whole input is wrong
 * @param checked without it, the sentence tells neither the value nor the nearest name
 */
export function describeInvalid(error: z.ZodError, whole = 'The input', checked?: Checked): InvalidField {
  const root = placeOf(checked?.schema ?? z.unknown());
  return describeFinding(toFinding(firstIssue(error.issues), root, checked?.given), whole);
}

/** An unknown field explains the absence of another one: it is misspelt, or at the wrong place. */
function firstIssue(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue {
  const [first] = issues;
  const isMissing = first!.code === 'invalid_type' || first!.code === 'custom' || first!.code === 'too_small';
  const around = first!.path.slice(0, -1).join();
  const unknown = issues.find(({ code, path }) => code === 'unrecognized_keys' && path.join() === around);
  return (isMissing && first.path.length > 0 && unknown) || first!;
}

function toFinding(issue: z.core.$ZodIssue, root: Place, given: unknown): Finding {
  const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
  if (issue.code === 'unrecognized_keys') {
    const own = [...path, issue.keys[0]!];
    const hint = ownMessage(issue);
    return { root, path: own, fault: 'unknown', value: valueAt(given, own), ...(hint !== undefined && { hint }) };
  }
  if (issue.code === 'invalid_union') {
    // The form whose fields were meant has the fewest faults.
    const [nearest] = issue.errors
      .filter(({ length }) => length > 0)
      .toSorted((a, b) => depth(b) - depth(a) || a.length - b.length);
    const inner = nearest && firstIssue(nearest);
    if (inner !== undefined && (inner.path.length > 0 || inner.code === 'unrecognized_keys'))
      return toFinding({ ...inner, path: [...issue.path, ...inner.path] }, root, given);
  }
  const value = valueAt(given, path);
  const message = issue.code === 'invalid_key' ? issue.issues[0] && ownMessage(issue.issues[0]) : ownMessage(issue);
  const expected = message?.replace(/^(?:expected|use) /, '');
  return { root, path, fault: value === undefined ? 'missing' : 'wrong', value, expected };
}

const depth = (issues: readonly z.core.$ZodIssue[]): number => Math.max(...issues.map(({ path }) => path.length));

/** The words of the schema itself; undefined for those of Zod. */
const ownMessage = ({ message }: z.core.$ZodIssue): string | undefined =>
  /^(Invalid|Too (big|small)|Unrecognized key)/.test(message) ? undefined : message;

/** The value at a path, also within JSON that a form or a query has as text. */
function valueAt(given: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, part) => {
    const holder = typeof value === 'string' ? readJson(value) : value;
    if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, part)) return undefined;
    return (holder as Record<string | number, unknown>)[part];
  }, given);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
