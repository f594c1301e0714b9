/** Where text is no JSON, and what to do. Nothing of the text is repeated: it may contain secrets. */
export interface JsonFault {
  /** From 1 */
  line: number;
  /** From 1, in UTF-16 units */
  column: number;
  remedy: string;
}

/** Reads JSON text. */
export function readJsonText(text: string): { value: unknown } | JsonFault {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    const { at, remedy } = findFault(text);
    const before = text.slice(0, at).split('\n');
    return { line: before.length, column: before.at(-1)!.length + 1, remedy };
  }
}

/** What follows the last token. `next` after a comma: an end is wrong there. */
type State = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'after';

const SPACE = /[ \t\r\n]*/y;
const SCALAR = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/y;

const TEXT = /"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;

/** Finds the first token at which no JSON can continue. It keeps open brackets in a list, as texts of callers may be deep. */
function findFault(text: string): { at: number; remedy: string } {
  const open: ('{' | '[')[] = [];
  let state: State = 'value';
  let at = 0;
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    if (!pattern.test(text)) return false;
    at = pattern.lastIndex;
    return true;
  };
  for (;;) {
    skip(SPACE);
    const next = text[at];
    const [inObject, inList] = [open.at(-1) === '{', open.at(-1) === '['];
    if (next === undefined) return { at, remedy: endRemedy(open) };
    if (
      (next === '}' && inObject && (state === 'first name' || state === 'after')) ||
      (next === ']' && inList && (state === 'first value' || state === 'after'))
    ) {
      open.pop();
      at += 1;
      state = 'after';
    } else if (next === ',' && state === 'after' && open.length > 0) {
      at += 1;
      state = inObject ? 'name' : 'value';
    } else if (next === ':' && state === 'colon') {
      at += 1;
      state = 'value';
    } else if (state === 'name' || state === 'first name') {
      if (next !== '"' || !skip(TEXT)) return { at, remedy: tokenRemedy(text, at, state) };
      state = 'colon';
    } else if (state === 'value' || state === 'first value') {
      if (next === '{' || next === '[') {
        open.push(next);
        at += 1;
        state = next === '{' ? 'first name' : 'first value';
      } else if (skip(SCALAR) || skip(TEXT)) state = 'after';
      else return { at, remedy: tokenRemedy(text, at, state) };
    } else return { at, remedy: tokenRemedy(text, at, state) };
  }
}

function endRemedy(open: readonly ('{' | '[')[]): string {
  if (open.length === 0) return 'Send a JSON object or list.';
  const closing = open
    .slice(-5)
    .map((each) => (each === '{' ? '}' : ']'))
    .reverse()
    .join('');
  return `Close what is still open with ${closing}${open.length > 5 ? ' and more' : ''}.`;
}

/** The remedy of the mistake that the first characters show. */
function tokenRemedy(text: string, at: number, state: State): string {
  const rest = text.slice(at, at + 12);
  if (/^['‘’“”`]/.test(rest)) return 'Use double quotes ("), also around names.';
  if (
    /^[}\]]/.test(rest) &&
    (state === 'name' || state === 'value') &&
    /,\s*$/.test(text.slice(Math.max(0, at - 200), at))
  )
    return 'Remove the comma before the closing bracket.';
  if (/^(\/\/|\/\*|#)/.test(rest)) return 'Remove the comment, which JSON does not have.';
  if (rest.startsWith('"'))
    return state === 'after' || state === 'colon'
      ? missing(state)
      : 'Close the text with ", and write line breaks in it as \\n.';
  if (state === 'name' || state === 'first name') return 'Send each name in double quotes, and a value after it.';
  if (/^(True|False|None|NaN|undefined|Infinity)/.test(rest)) return 'Send true, false, null or a number.';
  if (state === 'after' || state === 'colon') return missing(state);
  return 'Send text in double quotes, a number, true, false, null, an object or a list.';
}

const missing = (state: 'after' | 'colon'): string =>
  state === 'colon' ? 'Send a colon after the name.' : 'Send a comma between entries, and nothing after the end.';
