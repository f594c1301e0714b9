import { signal } from '@preact/signals';
import {
  IMAGE_PARAMETERS,
  PDF_PARAMETERS,
  type MediaKind,
  flattenParameters,
  type ParametersRepresentation,
  type PresetRepresentation as Preset,
} from '@burnish/contract';
import { get, onSignedOut, once, put } from '../api/client.ts';

/** The settings of an order, as a form holds them. */
export interface Settings {
  parameters: ParametersRepresentation;
  /** The preset that a person chose or saved; absent once a setting has changed */
  preset?: Preset;
}

const TABLES = { image: IMAGE_PARAMETERS, pdf: PDF_PARAMETERS };

/** The presets of the account; empty until they are read. */
const presets = signal<readonly Preset[]>([]);

// The next account has others.
onSignedOut(() => (presets.value = []));

/** Reads them again; a failure keeps the old list. */
export function loadPresets(): void {
  get<{ items: Preset[] }>('/v1/presets').then(
    ({ items }) => (presets.value = items),
    () => undefined,
  );
}

/** The presets whose parameters all apply to a kind of file. */
export const presetsFor = (kind: MediaKind): Preset[] =>
  presets.value.filter((preset) =>
    Object.keys(flattenParameters(parametersOf(preset))).every((name) => name in TABLES[kind]),
  );

export const parametersOf = ({ enhancements }: Preset): ParametersRepresentation => enhancements[0]!;

/** Saves parameters as the latest version of a preset. @throws BurnishError */
export async function savePreset(name: string, parameters: ParametersRepresentation): Promise<Preset> {
  const path = `/v1/presets/${encodeURIComponent(name)}`;
  const saved = await put<Preset>(path, { body: { enhancements: [parameters] }, idempotencyKey: once() });
  presets.value = [...presets.value.filter((each) => each.name !== saved.name), saved].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  return saved;
}
