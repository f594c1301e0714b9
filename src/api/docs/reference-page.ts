import { html, page } from './html.ts';

/** The page on which one reads about every operation and tries it. */
export function referencePage(): string {
  return page(
    'Burnish API',
    '/docs/swagger-ui.css',
    html`<body>
      <noscript>This page needs JavaScript; <a href="/openapi.json">openapi.json</a> describes the interface.</noscript>
      <div id="reference"></div>
      <script src="/docs/swagger-ui-bundle.js"></script>
      <script src="/docs/start.js"></script>
    </body>`,
  );
}

/**
 * Shows the description, and sends requests to the origin of the page: behind a proxy or a tunnel the public address of the
 * instance may be another. The key that a reader enters is gone with the page.
 */
export const START_SCRIPT = `fetch('/openapi.json')
  .then((answer) => answer.json())
  .then((spec) => SwaggerUIBundle({
    spec: { ...spec, servers: [{ url: location.origin }] },
    dom_id: '#reference',
    deepLinking: true,
    filter: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    persistAuthorization: false,
    validatorUrl: null,
  }));
`;
