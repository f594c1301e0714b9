import { html } from '../../docs/html.ts';

/** The schema browser's page; it runs no script that stands in the page itself. */
export function graphiqlPage(): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Burnish GraphiQL</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/graphiql/style.css" />
      </head>
      <body id="body" class="no-focus-outline">
        <noscript>The schema browser needs JavaScript; docs/api/schema.graphql has the same schema.</noscript>
        <div id="root"></div>
        <script src="/graphiql/start.js"></script>
        <script src="/graphiql/graphiql.js"></script>
        <script src="/graphiql/render.js"></script>
      </body>
    </html>`.html;
}

/** Runs before GraphiQL: says where its workers are. */
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
  // Not that of the editor's makers.
  logo: ' ',
  endpoint: '/graphql',
  defaultQuery: DEFAULT_QUERY,
  defaultHeaders: '{\n  "x-api-key": ""\n}',
  shouldPersistHeaders: false,
  defaultEditorToolsVisibility: 'headers',
})});
`;
