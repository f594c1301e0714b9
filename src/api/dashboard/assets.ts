import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export interface Asset {
  contentType: string;
  /** Its bytes, by the name of their encoding; `identity` is always there */
  bodies: { identity: Buffer; br?: Buffer; gzip?: Buffer };
}

export interface Assets {
  page: Asset;
  /** Those with their content's hash in their name, by the path that asks for them */
  hashed: Map<string, Asset>;
}

/** Reads the built dashboard into memory, which is a few hundred kilobytes; undefined where none has been built. */
export function readAssets(folder: string): Assets | undefined {
  // In the sources there is an index.html too, and nothing that it could load.
  if (!existsSync(join(folder, 'assets'))) return undefined;
  const names = readdirSync(join(folder, 'assets')).filter((name) => extname(name) in TYPES);
  return {
    page: readAsset(join(folder, 'index.html')),
    hashed: new Map(names.map((name) => [`/assets/${name}`, readAsset(join(folder, 'assets', name))])),
  };
}

function readAsset(path: string): Asset {
  const compressed = (extension: string): Buffer | undefined =>
    existsSync(path + extension) ? readFileSync(path + extension) : undefined;
  const [br, gzip] = [compressed('.br'), compressed('.gz')];
  return {
    contentType: TYPES[extname(path)]!,
    bodies: { identity: readFileSync(path), ...(br && { br }), ...(gzip && { gzip }) },
  };
}
