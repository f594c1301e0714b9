import { orderName, PDF_OPTIONS, type EnhancementParameters } from '@burnish/engine/contract';
import { Failure } from '../../domain/failures.ts';
import type { CommandDeps } from '../commands/command-types.ts';

/** Languages that a refusal names. */
const MOST_NAMED = 20;

/**
 * Refuses an order of text that this instance cannot read.
 * @throws Failure BAD_USER_INPUT with the field
 */
export async function assertTextReadable(
  { textProgram }: Pick<CommandDeps, 'textProgram'>,
  { text, textLanguages = PDF_OPTIONS.textLanguages.default }: EnhancementParameters,
): Promise<void> {
  if (text !== true) return;
  const program = await textProgram();
  if ('missing' in program) {
    const detail =
      'This instance cannot read text, since Tesseract is not installed. Remove pdf.text, or ask the operator to install tesseract-ocr.';
    throw new Failure('BAD_USER_INPUT', { field: orderName('text'), detail });
  }
  const { languages } = program;
  const absent = textLanguages.split('+').find((language) => !languages.includes(language));
  if (absent === undefined) return;
  const named = `${languages.slice(0, MOST_NAMED).join(', ')}${languages.length > MOST_NAMED ? ' and others' : ''}`;
  const detail = `Tesseract on this instance has no language ${absent}. Choose from ${named}, or ask the operator to install it.`;
  throw new Failure('BAD_USER_INPUT', { field: orderName('textLanguages'), detail });
}
