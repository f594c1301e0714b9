/** Maximum depth of a chain of causes. */
const MAX_CAUSES = 8;

/** An error and its causes, outermost first. */
export function listCauses(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let each = error; each instanceof Error && causes.length < MAX_CAUSES; each = each.cause) causes.push(each);
  return causes;
}
