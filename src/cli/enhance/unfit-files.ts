import type { MediaKind } from '@burnish/contract';
import { UsageError } from '../command-error.ts';
import { printableName } from '../printable.ts';
import type { InputFile } from './enhance-input.ts';
import type { ParametersByKind } from './enhance-options.ts';

const KINDS = { image: { many: 'images', one: 'image' }, pdf: { many: 'PDFs', one: 'PDF' } } as const;

/**
 * Finds the files to which none of the given flags applies. The enhancement by default, which nobody ordered, would be charged for them.
 * @param skip whether the caller leaves such files out
 * @returns for each unfit file, why it is left out
 * @throws UsageError for a flag that applies to none of the files, and for an unfit file unless `skip`
 */
export function findUnfit(
  inputs: readonly InputFile[],
  parameters: ParametersByKind,
  skip: boolean,
): Map<InputFile, string> {
  const kinds = new Set(inputs.map(({ kind }) => kind));
  for (const kind of ['image', 'pdf'] as const) {
    const other = parameters[kind === 'pdf' ? 'image' : 'pdf'].flags;
    const flags = parameters[kind].flags.filter((flag) => !other.includes(flag));
    if (flags.length > 0 && kinds.size > 0 && !kinds.has(kind))
      throw new UsageError(`${applies(flags, kind)}, and no ${KINDS[kind].one} is given. Remove what does not apply.`);
  }
  const unfit = new Map<InputFile, string>();
  for (const input of inputs) {
    const other = input.kind === 'pdf' ? 'image' : 'pdf';
    if (parameters[input.kind].flags.length === 0 && parameters[other].flags.length > 0)
      unfit.set(input, applies(parameters[other].flags, other));
  }
  const [first] = unfit;
  if (first !== undefined && !skip) {
    const [{ path }, reason] = first;
    throw new UsageError(
      `${printableName(path)}: ${reason}. Remove the file, or add --skip-unfit to leave such files out.`,
    );
  }
  return unfit;
}

const applies = (flags: readonly string[], kind: MediaKind): string =>
  `${flags.join(', ')} ${flags.length === 1 ? 'applies' : 'apply'} to ${KINDS[kind].many} only`;
