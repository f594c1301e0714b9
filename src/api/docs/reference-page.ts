import { html, page } from './html.ts';

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
 * Loads the description, and sends requests to the origin of the page. Behind a proxy or a tunnel the instance's
 * public address may differ. The page does not persist the reader's key.
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
