/** What an order names: the latest version of something that the account has saved, or one by its number. */
export interface SavedReference {
  name: string;
  /** Null: the latest */
  version: number | null;
}

export interface SavedLimits {
  /** Names of an account at a time */
  live: number;
  /** Versions of a name */
  versions: number;
  /** Names that an account has used, with those of what it has deleted */
  names: number;
}

export const SAVED_NAME = /^[a-z0-9][a-z0-9._-]{0,59}$/;
export const SAVED_NAME_RULE =
  'use 1 to 60 lower-case letters, digits, dots, hyphens and underscores, and begin with a letter or a digit';

/** Characters of a name with a version. */
export const MAX_SAVED_REFERENCE_LENGTH = 80;

/** Reads `web` or `web@3`; undefined for any other text. */
export function parseSavedReference(text: string): SavedReference | undefined {
  const [name = '', version, ...rest] = text.split('@');
  if (!SAVED_NAME.test(name) || rest.length > 0) return undefined;
  if (version === undefined) return { name, version: null };
  return /^[1-9]\d{0,8}$/.test(version) ? { name, version: Number(version) } : undefined;
}

/** The text that names one version for ever, such as `web@3`. */
export const nameVersion = ({ name, version }: { name: string; version: number }): string => `${name}@${version}`;
