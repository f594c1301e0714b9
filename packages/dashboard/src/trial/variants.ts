import type { MediaKind, ParametersRepresentation } from '@burnish/contract';
import { cleaned } from '../enhance/pdf-cleaning.ts';

/** Settings that a trial compares with others. */
export interface Variant {
  label: string;
  parameters: ParametersRepresentation;
}

const MODES = { NATURAL: 'Natural', ENHANCE: 'Enhance', VIVID: 'Vivid', OFF: 'As it is' } as const;

/** Returns the settings that a trial of a file shows beside each other: each treatment of light, colour and pages, with the other settings as they are. */
export function variantsOf(kind: MediaKind, parameters: ParametersRepresentation): Variant[] {
  if (kind === 'pdf') return variantsOfPdf(parameters);
  if (parameters.fidelity === 'STRICT') return [{ label: 'Strictly faithful', parameters }];
  const { engineTier, ...others } = parameters;
  const page: Variant = {
    label: 'Scan or page',
    parameters: { ...others, ...(engineTier && engineTier !== 'DETAIL' && { engineTier }), mode: 'DOCUMENT' },
  };
  const modes = Object.entries(MODES).map(([mode, label]): Variant => ({
    label,
    parameters: { ...parameters, mode: mode as keyof typeof MODES },
  }));
  return parameters.mode === 'DOCUMENT' ? [page, ...modes.slice(1)] : modes;
}

function variantsOfPdf(parameters: ParametersRepresentation): Variant[] {
  const photographs = cleaned(parameters, false);
  const coloured = (auto: boolean): ParametersRepresentation => ({
    ...photographs,
    customColorConfig: { ...photographs.customColorConfig, auto },
  });
  return [
    { label: 'Balanced', parameters: coloured(true) },
    { label: 'Colours as they are', parameters: coloured(false) },
    { label: 'Scan or page', parameters: parameters.mode === 'DOCUMENT' ? parameters : cleaned(parameters, true) },
  ];
}

/** Whether a variant is the chosen one. */
export function isChosen(kind: MediaKind, variant: Variant, parameters: ParametersRepresentation): boolean {
  if (kind === 'image') return (variant.parameters.mode ?? 'ENHANCE') === (parameters.mode ?? 'ENHANCE');
  if (variant.parameters.mode !== parameters.mode) return false;
  const isAuto = (each: ParametersRepresentation): boolean => each.customColorConfig?.auto ?? true;
  return parameters.mode === 'DOCUMENT' || isAuto(variant.parameters) === isAuto(parameters);
}
