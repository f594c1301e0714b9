import { isPdfOption, type PdfOptionName } from '../engine/pdf-options.ts';
import type { OrderedLook } from '../engine/look.ts';
import type { EnhancementParameters } from '../engine/parameters.ts';

/** Parameters for PDFs beyond the contract. */
export type PdfOptions = Pick<EnhancementParameters, PdfOptionName>;

/** Parameters as orders give them and records show them. Workflows and the database keep them flat, with the values of a look. */
export interface ParametersRepresentation extends Omit<EnhancementParameters, PdfOptionName | 'mode'> {
  /** Tone and colour, or a look of the account: `{ look: 'warm' }` or `{ look: 'warm@3' }` in an order, `{ look: 'warm@3' }` in a record */
  mode?: Exclude<EnhancementParameters['mode'], OrderedLook> | Pick<OrderedLook, 'look'> | undefined;
  /** Options of PDFs */
  pdf?: PdfOptions | undefined;
}

/** The enhancement of each file of a batch. */
export interface BatchEnhancementRepresentation extends ParametersRepresentation {
  /** Saved preset: `web` or `web@3` in an order, `web@3` in a record */
  preset?: string | undefined;
  /** Registered bucket of all results, with a template of their keys such as `{uploadId}/{name}` */
  destination?: { bucket: string; key: string } | undefined;
}

export function representParameters(parameters: EnhancementParameters): ParametersRepresentation {
  const entries = Object.entries(withoutValues(parameters));
  const options = entries.filter(([name]) => isPdfOption(name));
  const others = entries.filter(([name]) => !isPdfOption(name));
  return Object.fromEntries(options.length === 0 ? others : [...others, ['pdf', Object.fromEntries(options)]]);
}

const withoutValues = ({ mode, ...others }: EnhancementParameters): ParametersRepresentation =>
  mode === undefined ? others : { mode: typeof mode === 'object' ? { look: mode.look } : mode, ...others };

export const flattenParameters = ({ pdf, ...others }: ParametersRepresentation): EnhancementParameters => ({
  ...others,
  ...pdf,
});
