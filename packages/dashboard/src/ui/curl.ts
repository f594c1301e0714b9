/**
 * The command that does the same as a button or a page, for a terminal of the person. Its key is the variable `BURNISH_API_KEY`.
 * @param path such as `/v1/uploads/upl_…`
 * @param options.file name under which the answer is written
 */
export function curl(
  method: 'GET' | 'POST',
  path: string,
  { body, file }: { body?: unknown; file?: string } = {},
): string {
  return [
    ['curl', ...(method === 'GET' ? [] : ['-X', method]), quoted(`${location.origin}${path}`)].join(' '),
    '-H "X-Api-Key: $BURNISH_API_KEY"',
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
    ...(file === undefined ? [] : [`-o ${quoted(file)}`]),
  ].join(' \\\n  ');
}

/** One word of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
