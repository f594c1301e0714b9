/** The look of the docs page; follows the reader's choice of light or dark. */
export const DOCS_STYLE = `
:root {
  color-scheme: light dark;
  --back: #fff; --soft: #f5f4f1; --line: #e0ddd6; --text: #23211d; --faint: #6d6860; --link: #8a4b08; --accent: #c46a10;
  --get: #1b6d4c; --post: #8a4b08; --delete: #a52a2a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #191816; --soft: #23211e; --line: #3a3732; --text: #eae6df; --faint: #a39d92; --link: #f0b061; --accent: #e08a2e;
    --get: #6cc79c; --post: #f0b061; --delete: #f08a80;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1.5rem; }
body { margin: 0; display: grid; grid-template-columns: 19rem minmax(0, 1fr); background: var(--back); color: var(--text);
  font: 16px/1.55 system-ui, sans-serif; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.25rem 1rem; background: var(--soft); border-right: 1px solid var(--line); font-size: 0.86rem; }
nav h2 { margin: 1.3rem 0 0.3rem; font-size: 0.75rem; letter-spacing: 0.06em; text-transform: uppercase; color: var(--faint); }
nav ul { margin: 0; padding: 0; list-style: none; }
nav a { display: flex; gap: 0.5rem; align-items: baseline; padding: 0.2rem 0.4rem; border-radius: 4px; color: inherit; text-decoration: none; overflow-wrap: anywhere; }
nav a:hover, nav a:focus-visible { background: var(--line); }
nav .method { flex: 0 0 2.9rem; font-size: 0.68rem; }
.brand { margin: 0; font-size: 1.15rem; font-weight: 650; } .brand a { display: inline; padding: 0; } .brand small { color: var(--faint); font-weight: 400; }
main { padding: 2rem 2.5rem 6rem; max-width: 62rem; }
h1 { margin: 0 0 0.5rem; font-size: 2rem; }
h2.tag { margin: 3.5rem 0 0.25rem; padding-bottom: 0.4rem; border-bottom: 2px solid var(--accent); font-size: 1.5rem; }
h3 { margin: 0 0 0.25rem; font-size: 1.15rem; }
h4 { margin: 1.4rem 0 0.4rem; font-size: 0.92rem; color: var(--faint); }
section { margin-top: 2.2rem; padding: 1.4rem 1.5rem; border: 1px solid var(--line); border-radius: 8px; }
section:target { border-color: var(--accent); }
a { color: var(--link); }
code, pre { font-family: ui-monospace, 'DejaVu Sans Mono', Consolas, monospace; font-size: 0.86em; }
code { padding: 0.08em 0.3em; border-radius: 4px; background: var(--soft); overflow-wrap: anywhere; }
pre { margin: 0.4rem 0; padding: 0.9rem 1rem; overflow-x: auto; border-radius: 6px; background: var(--soft); line-height: 1.45; }
.line { margin: 0.2rem 0 0.8rem; color: var(--faint); }
.method { font-weight: 700; font-size: 0.8rem; } .get { color: var(--get); } .post { color: var(--post); } .delete { color: var(--delete); }
.wide { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: 0.9rem; }
th, td { padding: 0.45rem 0.6rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th { font-weight: 600; color: var(--faint); } td code { white-space: nowrap; } .fields td:last-child { min-width: 14rem; } td:nth-child(3) code { white-space: normal; }
.values { line-height: 2; }
.optional { font-size: 0.72rem; color: var(--faint); }
details { border-top: 1px solid var(--line); padding: 0.5rem 0; } summary { cursor: pointer; } .type { font-size: 0.9rem; }
.status { display: inline-block; min-width: 2.6rem; font-weight: 700; } .s2 { color: var(--get); } .s4 { color: var(--post); } .s5 { color: var(--delete); }
@media (max-width: 52rem) {
  body { display: block; } nav { position: static; height: auto; max-height: 40vh; border-right: 0; border-bottom: 1px solid var(--line); }
  main { padding: 1.25rem 1rem 4rem; } section { padding: 1rem; }
}
`;
