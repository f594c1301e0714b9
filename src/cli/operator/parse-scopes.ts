import { InvalidArgumentError } from 'commander';

/** Returns the parser of a repeatable `--scope`. Each may contain several, separated by commas. */
export function parseScopes<Scope extends string>(known: readonly Scope[]) {
  return (text: string, before: Scope[] = []): Scope[] => {
    const given = text.split(',');
    const unknown = given.find((each) => !(known as readonly string[]).includes(each));
    if (unknown !== undefined) throw new InvalidArgumentError(`Expected ${known.join(', ')}, but received ${unknown}.`);
    return [...before, ...(given as Scope[])];
  };
}
