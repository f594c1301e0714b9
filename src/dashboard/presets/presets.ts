import { signal } from '@preact/signals';
import { IMAGE_PARAMETERS, PDF_PARAMETERS } from '../../domain/enhancement/parameter-table.ts';
import type { EnhancementParameters } from '../../domain/enhancement/parameters.ts';
import type { Preset } from '../../domain/enhancement/preset.ts';
import type { MediaKind } from '../../domain/upload/media.ts';
import { get, onSignedOut, once, put } from '../api/client.ts';

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
  presets.value.filter(({ parameters }) => Object.keys(parameters).every((name) => name in TABLES[kind]));

/** The preset in its latest version that has exactly these parameters; undefined without one. */
export const presetWith = (parameters: EnhancementParameters): Preset | undefined =>
  presets.value.find((preset) => canonical(preset.parameters) === canonical(parameters));

/** Saves parameters as the latest version of a preset. @throws BurnishError */
export async function savePreset(name: string, parameters: EnhancementParameters): Promise<void> {
  const path = `/v1/presets/${encodeURIComponent(name)}`;
  const saved = await put<Preset>(path, { body: { parameters }, idempotencyKey: once() });
  presets.value = [...presets.value.filter((each) => each.name !== saved.name), saved].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
}

/** JSON whose text is the same for every order of the fields. */
function canonical(parameters: EnhancementParameters): string {
  return JSON.stringify(parameters, (_name, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
