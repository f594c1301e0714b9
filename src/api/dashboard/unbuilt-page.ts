import type { Asset } from './assets.ts';

/** What a person sees where the gateway runs from its sources. */
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
