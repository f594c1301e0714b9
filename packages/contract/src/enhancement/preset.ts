import type { EnhancementParameters } from '../engine/parameters.ts';

/** A set of parameters that an account has saved. Each change makes a new version; a version never changes. */
export interface Preset {
  name: string;
  /** From 1 */
  version: number;
  parameters: EnhancementParameters;
  /** ISO 8601, of this version */
  createdAt: string;
}

/** What an order names: the latest version, or one by its number. */
export interface PresetReference {
  name: string;
  /** Null: the latest */
  version: number | null;
}

export const PRESET_LIMITS = {
  /** Presets of an account */
  presets: 100,
  /** Versions of a preset */
  versions: 100,
  /** Names that an account has used, with those of deleted presets */
  names: 1_000,
} as const;

export const PRESET_NAME = /^[a-z0-9][a-z0-9._-]{0,59}$/;
export const PRESET_NAME_RULE =
  'use 1 to 60 lower-case letters, digits, dots, hyphens and underscores, and begin with a letter or a digit';

/** Characters of a name with a version. */
export const MAX_PRESET_REFERENCE_LENGTH = 80;

/** Reads `web` or `web@3`; undefined for any other text. */
export function parsePresetReference(text: string): PresetReference | undefined {
  const [name = '', version, ...rest] = text.split('@');
  if (!PRESET_NAME.test(name) || rest.length > 0) return undefined;
  if (version === undefined) return { name, version: null };
  return /^[1-9]\d{0,8}$/.test(version) ? { name, version: Number(version) } : undefined;
}

/** The text that names one version for ever, such as `web@3`. */
export const namePreset = ({ name, version }: Pick<Preset, 'name' | 'version'>): string => `${name}@${version}`;
