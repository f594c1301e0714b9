import { FAILURES, isFailureCode } from './failures.ts';

/** The place before the first sentence that tells the reader what to do. A test keeps the verbs complete. */
const BEFORE_REMEDY =
  /(?<=[.!?]) (?=(?:Allow|Ask|Call|Cancel|Check|Choose|Close|Correct|Create|Declare|Delete|Download|Enable|Enhance|List|Open|Order|Read|Remove|Repeat|Replace|Request|Restart|Resume|Run|Save|Send|Set|Start|Try|Upgrade|Use|Wait)\b)/;

/** Values of a caller in a sentence, in which nothing is a remedy. */
const QUOTED = /"(?:[^"\\]|\\.)*"/g;

/**
 * Splits the text about a failure into the fault and what to do about it. A text with its own remedy keeps it. Any
 * other gets the remedy of its code, or an empty one without a code.
 */
export function explainFailure(code: string | null, text: string): { detail: string; remedy: string } {
  const at = text.replace(QUOTED, (quoted) => '"'.repeat(quoted.length)).search(BEFORE_REMEDY);
  if (at >= 0) return { detail: text.slice(0, at), remedy: text.slice(at + 1) };
  return { detail: text, remedy: isFailureCode(code) ? FAILURES[code].remedy : '' };
}

/** Fault and remedy for a person, each once. */
export function explainInOneText(code: string | null, text: string): string {
  const { detail, remedy } = explainFailure(code, text);
  return `${detail} ${remedy}`.trimEnd();
}
