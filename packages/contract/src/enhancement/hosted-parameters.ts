import type { EnhancementParameters } from '../engine/parameters.ts';
import { orderName } from '../engine/pdf-options.ts';
import { targetField } from '../engine/target-size.ts';
import { Failure } from '../failure.ts';

/**
 * Rejects what the hosted service lacks.
 * @throws Failure BAD_USER_INPUT
 */
export function assertHosted(given: EnhancementParameters): void {
  const target = targetField(given);
  const refuse = (field: string, remedy: string, name = field): never => {
    const detail = `The hosted service does not support ${name}. Choose the provider LOCAL${remedy}.`;
    throw new Failure('BAD_USER_INPUT', { field, detail });
  };
  if (target !== undefined) refuse(target, ', or use upscalingFactor');
  if (given.fidelity === 'STRICT') refuse('fidelity', '', 'fidelity STRICT');
  if (given.mode === 'DOCUMENT') refuse('mode', '', 'mode DOCUMENT');
  if (typeof given.mode === 'object') refuse('mode.look', ', or another mode', 'looks');
  const option = optionOfEngine(given);
  if (option !== undefined) refuse(option, '');
}

/** Returns an option of PDFs that only the engine has. */
function optionOfEngine({ pages, split, text }: EnhancementParameters): string | undefined {
  if (pages !== undefined) return orderName('pages');
  if (split === true) return orderName('split');
  return text === true ? orderName('text') : undefined;
}
