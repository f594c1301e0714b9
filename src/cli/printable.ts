/**
 * Control characters, which a terminal carries out, and marks of direction, which disguise a text. A line end is none of them:
 * texts of several lines have it.
 */
const UNPRINTABLE = /(?!\n)[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * A text for a terminal. It shows control characters as JSON writes them, such as `\u001b`, so a line of JSON keeps its value.
 */
export const printable = (text: string): string => text.replace(UNPRINTABLE, escaped);

/** A name of someone else, such as that of a file, within a line. Its line ends are shown too. */
export const printableName = (name: string): string => printable(name).replaceAll('\n', escaped);
