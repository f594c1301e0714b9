import { FAILURE_CODES, FAILURES, type FailureCode } from '@burnish/contract';
import { html, page, type HtmlPart } from '../http/html.ts';

export function errorsPage(): string {
  return errorDocument(
    'Errors',
    html`<ul>
      ${FAILURE_CODES.map(
        (code) =>
          html`<li>
            <a href="/docs/errors/${code}"><code>${code}</code></a> ${FAILURES[code].sentence}
          </li>`,
      )}
    </ul>`,
  );
}

export function errorPage(code: FailureCode): string {
  const { httpStatus, retryable, sentence, remedy } = FAILURES[code];
  return errorDocument(
    code,
    html`<h2>Cause</h2>
      <p>${sentence} The <code>detail</code> of the response explains the case.</p>
      <h2>Remedy</h2>
      <p>${remedy}</p>
      <h2>Response</h2>
      <p>
        HTTP status ${httpStatus}. The same request ${retryable ? 'can' : 'cannot'} succeed later. The field
        <code>retryable</code> of the response confirms it.
      </p>
      <p><a href="/docs/errors">All errors</a></p>`,
  );
}

function errorDocument(title: string, content: HtmlPart): string {
  return page(
    `${title} · Burnish API`,
    '/docs/style.css',
    html`<body>
      <nav aria-label="Contents">
        <p class="brand"><a href="/docs">Burnish API</a> <a href="/guide/">Guide</a></p>
      </nav>
      <main>
        <h1>${title}</h1>
        ${content}
      </main>
    </body>`,
  );
}
