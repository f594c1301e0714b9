/**
 * The name that a caller probably meant.
 * @returns undefined where none is near, or two are equally near
 */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  if (given.length > MOST_COMPARED) return undefined;
  const same = names.filter((name) => plain(name) === plain(given));
  if (same.length > 0) return same.length === 1 ? same[0] : undefined;
  const near = names
    .map((name) => ({ name, steps: countSteps(plain(given), plain(name)) }))
    .filter(({ name, steps }) => steps <= Math.max(1, Math.floor(Math.max(name.length, given.length) / 3)))
    .sort((a, b) => a.steps - b.steps);
  const [first, second] = near;
  if (first !== undefined) return first.steps === second?.steps ? undefined : first.name;
  const longer = given.length < SHORTEST_PART ? [] : names.filter((name) => plain(name).includes(plain(given)));
  return longer.length === 1 ? longer[0] : undefined;
}

/** Characters of a part that stands for a name, such as `quality` for `outputQuality`. */
const SHORTEST_PART = 4;

/** No name of ours is longer. The comparison of two names takes the product of their lengths. */
const MOST_COMPARED = 60;

/** Without what people write in different ways: `max_credits`, `MaxCredits`, `max-credits`. */
const plain = (name: string): string => name.toLowerCase().replace(/[-_ .]/g, '');

/** Characters to insert, remove, replace or exchange with their neighbour (optimal string alignment). */
function countSteps(from: string, to: string): number {
  let [before, last] = [[] as number[], Array.from({ length: to.length + 1 }, (_, k) => k)];
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    for (let k = 1; k <= to.length; k += 1) {
      const other = from[i - 1] === to[k - 1] ? 0 : 1;
      let steps = Math.min(row[k - 1]! + 1, last[k]! + 1, last[k - 1]! + other);
      if (i > 1 && k > 1 && from[i - 1] === to[k - 2] && from[i - 2] === to[k - 1])
        steps = Math.min(steps, before[k - 2]! + 1);
      row.push(steps);
    }
    [before, last] = [last, row];
  }
  return last[to.length]!;
}
