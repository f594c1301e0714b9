import { html, page } from '../docs/html.ts';

/** The page for people that are signed in and may not open the Web UI. */
export function refusalPage(): string {
  return page(
    "Temporal's Web UI · Burnish",
    '/docs/style.css',
    html`<body>
      <main>
        <h1>This session may not open Temporal's Web UI</h1>
        <p>
          The Web UI shows the workflows of all accounts. Sign out, and <a href="/sign-in">sign in</a> with the
          operator's key. While the instance has one account, its API key with the scope <code>admin</code> opens it,
          too.
        </p>
        <p><a href="/">Return to the dashboard</a></p>
      </main>
    </body>`,
  );
}
