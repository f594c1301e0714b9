import { existsSync, readFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

export const VERSION = manifest.version;

const commitFile = new URL('../build-commit', import.meta.url);

/** The version with the commit of the build as SemVer build metadata, such as `1.0.0+0a1b2c3d4e5f`. From source: the version. */
export const BUILD = existsSync(commitFile) ? `${VERSION}+${readFileSync(commitFile, 'utf8')}` : VERSION;
