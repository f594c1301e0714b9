/**
 * Numbers equal names: `photo.jpg`, `photo (2).jpg`. Upper and lower case are equal, as on many systems that unpack an archive.
 */
export function distinctNames(names: readonly string[]): string[] {
  const given = new Set(names.map(fold));
  const taken = new Set<string>();
  const next = new Map<string, number>();
  return names.map((name) => {
    let distinct = name;
    let number = next.get(fold(name)) ?? 1;
    // A numbered name must not take that of another file.
    while (taken.has(fold(distinct)) || (distinct !== name && given.has(fold(distinct)))) {
      number += 1;
      distinct = numbered(name, number);
    }
    next.set(fold(name), number);
    taken.add(fold(distinct));
    return distinct;
  });
}

const fold = (name: string): string => name.normalize('NFC').toLowerCase();

function numbered(name: string, number: number): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? `${name.slice(0, dot)} (${number})${name.slice(dot)}` : `${name} (${number})`;
}
