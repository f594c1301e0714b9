/** The style of the error pages; follows the reader's preference of light or dark. */
export const DOCS_STYLE = `
:root {
  color-scheme: light dark;
  --back: #fff; --soft: #f5f4f1; --line: #e0ddd6; --text: #23211d; --link: #8a4b08;
}
@media (prefers-color-scheme: dark) {
  :root { --back: #191816; --soft: #23211e; --line: #3a3732; --text: #eae6df; --link: #f0b061; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.55 system-ui, sans-serif; }
nav { padding: 1rem 2.5rem; background: var(--soft); border-bottom: 1px solid var(--line); }
.brand { margin: 0; font-size: 1.15rem; font-weight: 650; } .brand a { color: inherit; text-decoration: none; }
main { padding: 2rem 2.5rem 6rem; max-width: 62rem; }
h1 { margin: 0 0 0.5rem; font-size: 2rem; overflow-wrap: anywhere; }
h2 { margin: 1.6rem 0 0.25rem; font-size: 1.15rem; }
a { color: var(--link); }
code { padding: 0.08em 0.3em; border-radius: 4px; background: var(--soft); overflow-wrap: anywhere;
  font: 0.86em ui-monospace, 'DejaVu Sans Mono', Consolas, monospace; }
@media (max-width: 52rem) { nav { padding: 1rem; } main { padding: 1.25rem 1rem 4rem; } }
`;

/**
 * The style of the reference: that of Swagger UI, without its column of links, which no operation has and which makes
 * the page wider than a phone. In the dark its names of headers have almost the colour of the page.
 */
export const REFERENCE_STYLE = `@import '/docs/swagger-ui.css';
.swagger-ui .response-col_links { display: none; }
html.dark-mode .swagger-ui .headers .header-col { color: #e4e6e6; }
`;
