import type { ParametersRepresentation } from '@burnish/contract';

/** Returns the settings of a PDF with or without cleaned pages. Cleaning and the change of colours exclude each other, and cleaned pages keep their size at first. */
export function cleaned(value: ParametersRepresentation, wanted: boolean): ParametersRepresentation {
  if ((value.mode === 'DOCUMENT') === wanted) return value;
  const { mode: _mode, targetResolution: _dpi, customColorConfig: _colors, pdf = {}, ...others } = value;
  const { colorKinds: _kinds, split: _split, ...options } = pdf;
  return { ...others, ...(wanted && { mode: 'DOCUMENT' }), pdf: options };
}
