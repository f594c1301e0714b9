import { Burnish, type BurnishOptions, type Preset } from '@burnish/client';
import { nameVersion, flattenParameters } from '@burnish/contract';
import { readParameters } from '../enhance/enhance-options.ts';
import type { PresetCall } from './preset-command.ts';

/**
 * Carries out a command of `burnish presets`.
 * @returns the lines to print
 * @throws BurnishError; UsageError that names the flag
 */
export async function runPresets(instance: BurnishOptions, { name, options }: PresetCall): Promise<string[]> {
  const { presets } = new Burnish(instance);
  if (name === 'list') {
    const list = await presets.list();
    return options.json === true ? [JSON.stringify(list)] : list.map(describe);
  }
  if (name === 'delete') {
    await presets.delete(options.preset);
    return options.json === true ? [JSON.stringify({ deleted: options.preset })] : [`${options.preset} is deleted.`];
  }
  const shown = name === 'show' ? await presets.get(options.preset) : await save(presets, options);
  return [options.json === true ? JSON.stringify(shown) : describe(shown)];
}

function save(
  presets: Burnish['presets'],
  { preset, ...options }: Extract<PresetCall, { name: 'save' }>['options'],
): Promise<Preset> {
  const { image, pdf } = readParameters(options);
  return presets.save(preset, { enhancements: [{ ...image.parameters, ...pdf.parameters }] });
}

/** Such as `web@3: upscalingFactor X2, outputFormat WEBP`. */
function describe(preset: Preset): string {
  const parameters = Object.entries(flattenParameters(preset.enhancements[0]!)).map(
    ([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return `${nameVersion(preset)}: ${parameters.join(', ') || 'no parameters'}`;
}
