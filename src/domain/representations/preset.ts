import type { Preset } from '../enhancement/preset.ts';
import { representParameters, type ParametersRepresentation } from './parameters.ts';

/** A preset as answers show it. */
export interface PresetRepresentation extends Omit<Preset, 'parameters'> {
  parameters: ParametersRepresentation;
}

export const representPreset = ({ parameters, ...preset }: Preset): PresetRepresentation => ({
  ...preset,
  parameters: representParameters(parameters),
});
