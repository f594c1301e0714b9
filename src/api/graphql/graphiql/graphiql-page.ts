import { html, page } from '../../http/html.ts';

export function graphiqlPage(): string {
  return page(
    'Burnish GraphiQL',
    '/graphiql/style.css',
    html`<body id="body" class="no-focus-outline">
      <noscript>The schema browser needs JavaScript; docs/api/schema.graphql has the same schema.</noscript>
      <div id="root"></div>
      <script src="/graphiql/start.js"></script>
      <script src="/graphiql/graphiql.js"></script>
      <script src="/graphiql/render.js"></script>
    </body>`,
  );
}

/** Runs before GraphiQL and sets the URLs of its workers. */
export const START_SCRIPT = `self.MonacoEnvironment = {
  globalAPI: false,
  getWorkerUrl: (_module, label) => '/graphiql/' + ({ json: 'json', graphql: 'graphql' }[label] || 'editor') + '.worker.js',
};
`;

const DEFAULT_QUERY = `# Put your API key into "Headers" below,
# then press "Re-fetch GraphQL schema" at the left.
# This page does not keep the key.

query Credits {
  credits {
    remainingCreditsThisPeriod
    usedCreditsThisPeriod
    periodStart
    periodEnd
  }
}
`;

/** Runs after GraphiQL has loaded. */
export const RENDER_SCRIPT = `YogaGraphiQL.renderYogaGraphiQL(document.getElementById('root'), ${JSON.stringify({
  title: 'Burnish',
  // Replaces the logo of the editor's vendor.
  logo: ' ',
  endpoint: '/graphql',
  defaultQuery: DEFAULT_QUERY,
  defaultHeaders: '{\n  "x-api-key": ""\n}',
  shouldPersistHeaders: false,
  defaultEditorToolsVisibility: 'headers',
})});
`;
