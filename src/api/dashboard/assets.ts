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

/** The page where the dashboard has not been built, as in the sources. */
export const UNBUILT_PAGE: Asset = {
  contentType: 'text/html; charset=utf-8',
  bodies: {
    identity: Buffer.from(`<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Burnish</title></head>
  <body>
    <h1>The dashboard has not been built</h1>
    <p>Run <code>npm run build</code>, then start Burnish with <code>npm start</code>.</p>
    <p>The interface itself is up: <a href="/docs">its documentation</a>.</p>
  </body>
</html>
`),
  },
};
