import { isPdfOption, type PdfOptionName } from '../engine/pdf-options.ts';
import type { EnhancementParameters } from '../engine/parameters.ts';

/** Parameters for PDFs beyond the contract. */
export type PdfOptions = Pick<EnhancementParameters, PdfOptionName>;

/** Parameters as orders give them and records show them. Workflows and the database keep them flat. */
export interface ParametersRepresentation extends Omit<EnhancementParameters, PdfOptionName> {
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
  const entries = Object.entries(parameters);
  const options = entries.filter(([name]) => isPdfOption(name));
  const others = entries.filter(([name]) => !isPdfOption(name));
  return Object.fromEntries(options.length === 0 ? others : [...others, ['pdf', Object.fromEntries(options)]]);
}

export const flattenParameters = ({ pdf, ...others }: ParametersRepresentation): EnhancementParameters => ({
  ...others,
  ...pdf,
});
