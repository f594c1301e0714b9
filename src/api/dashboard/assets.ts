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
  /** Contents by encoding; `identity` always exists */
  bodies: { identity: Buffer; br?: Buffer; gzip?: Buffer };
}

export interface Assets {
  page: Asset;
  hashed: Map<string, Asset>;
}

/** Reads the built dashboard into memory, a few hundred kilobytes; undefined without a build. */
export function readAssets(folder: string): Assets | undefined {
  // The source folder also has an index.html, but no files for it to load.
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

/** The page of an instance without a built dashboard, such as one run from source. */
export const UNBUILT_PAGE: Asset = {
  contentType: 'text/html; charset=utf-8',
  bodies: {
    identity: Buffer.from(`<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Burnish</title></head>
  <body>
    <h1>The dashboard has not been built</h1>
    <p>Run <code>npm run build</code>, then start Burnish with <code>npm start</code>.</p>
    <p>The API is available: <a href="/docs">documentation</a>.</p>
  </body>
</html>
`),
  },
};
