import { html, page } from '../http/html.ts';

export function referencePage(): string {
  return page(
    'Burnish API',
    '/docs/reference.css',
    html`<body>
      <noscript>This page needs JavaScript; <a href="/openapi.json">openapi.json</a> describes the interface.</noscript>
      <p class="guide"><a href="/guide/">Guide</a> <a href="/graphiql">GraphiQL</a> <a href="/">Dashboard</a></p>
      <div id="reference"></div>
      <script src="/docs/swagger-ui-bundle.js"></script>
      <script src="/docs/start.js"></script>
    </body>`,
  );
}

/**
 * Loads the description, and sends requests to the origin of the page. Behind a proxy or a tunnel the instance's
 * public address may differ. The page does not persist the reader's key. It follows the preference of light or dark.
 * Each operation links to its place in the guide. Swagger UI would send the examples of optional parameters, such as filters that no record matches, so the page drops them.
 */
export const START_SCRIPT = `const dark = matchMedia('(prefers-color-scheme: dark)');
const followTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followTheme);
followTheme();

const withoutExample = (parameter) =>
  parameter.required ? parameter : { ...parameter, schema: { ...parameter.schema, example: undefined } };
const withoutExamples = (operation) =>
  operation.parameters ? { ...operation, parameters: operation.parameters.map(withoutExample) } : operation;
const withGuide = ({ tags: [tag], operationId, ...operation }) => ({
  ...operation,
  tags: [tag],
  operationId,
  externalDocs: {
    description: 'in curl, TypeScript and GraphQL',
    url: location.origin + '/guide/reference/' + tag.toLowerCase() + '.html#' + operationId,
  },
});
const mapValues = (record, map) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));

fetch('/openapi.json')
  .then((answer) => answer.json())
  .then((spec) => SwaggerUIBundle({
    spec: {
      ...spec,
      servers: [{ url: location.origin }],
      paths: mapValues(spec.paths, (methods) => mapValues(methods, (operation) => withGuide(withoutExamples(operation)))),
    },
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
