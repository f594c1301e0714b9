import { createRequire } from 'node:module';
import MarkdownIt from 'markdown-it';

// Its types would add the browser's globals to every file of a server program, so that the compiler may not follow this import.
const load = createRequire(import.meta.url);
const hljs = load('highlight.js/lib/core');

const LANGUAGES = [
  ...['bash', 'csharp', 'css', 'dockerfile', 'go', 'graphql', 'http', 'ini', 'java'],
  ...['javascript', 'json', 'php', 'python', 'sql', 'typescript', 'xml', 'yaml'],
];
for (const name of LANGUAGES) hljs.registerLanguage(name, load(`highlight.js/lib/languages/${name}`));
// GraphQL's grammar of the library marks no comment inside of a selection; names of headers need none.
hljs.registerAliases(['env'], { languageName: 'ini' });

/** Markdown as a repository page shows it. HTML inside of it stays text. */
const markdown = new MarkdownIt({ html: false, linkify: false, highlight });

/** @param {string} text */
export const escape = (text) => markdown.utils.escapeHtml(text);

/**
 * Marks the words of a program with classes; the policy of the site forbids styles in attributes.
 * @param {string} code
 * @param {string} language
 */
export function highlight(code, language) {
  const known = hljs.getLanguage(language) !== undefined;
  return known ? hljs.highlight(code, { language, ignoreIllegals: true }).value : escape(code);
}

/**
 * @param {string} code
 * @param {string} language
 */
export const codeBlock = (code, language) =>
  `<pre tabindex="0"><code>${highlight(code.trimEnd(), language)}</code></pre>\n`;

markdown.renderer.rules['fence'] = (tokens, index) => {
  const { content, info } = /** @type {import('markdown-it').Token} */ (tokens[index]);
  return codeBlock(content, info.trim().split(/\s+/)[0] ?? '');
};
// A wide table scrolls inside of the page, and with keys once it has the focus.
markdown.renderer.rules['table_open'] = () =>
  '<div class="table" tabindex="0" role="region" aria-label="Table"><table>\n';
markdown.renderer.rules['table_close'] = () => '</table></div>\n';
markdown.renderer.rules['image'] = (tokens, index, options, env, self) => {
  const token = /** @type {import('markdown-it').Token} */ (tokens[index]);
  token.attrSet('alt', self.renderInlineAsText(token.children ?? [], options, env));
  token.attrSet('loading', 'lazy');
  return self.renderToken(tokens, index, options);
};

/** Comments tell tests what to do with a program; readers do not see them. */
const COMMENT = /<!--.*?-->\n*/gs;

/**
 * The tokens of a page. Each heading has its anchor as `id`, and its inline token the rank as `meta.heading`.
 * @param {string} text
 */
export function parse(text) {
  const tokens = markdown.parse(text.replace(COMMENT, ''), {});
  const used = new Map();
  tokens.forEach((token, index) => {
    if (token.type !== 'heading_open') return;
    const content = /** @type {import('markdown-it').Token} */ (tokens[index + 1]);
    const slug = slugOf(plainText(content));
    const before = used.get(slug) ?? 0;
    used.set(slug, before + 1);
    token.attrSet('id', before === 0 ? slug : `${slug}-${before}`);
    content.meta = { heading: Number(token.tag.slice(1)), id: token.attrGet('id') };
  });
  return tokens;
}

/** @param {readonly import('markdown-it').Token[]} tokens */
export const render = (tokens) => markdown.renderer.render([...tokens], markdown.options, {});

/**
 * Markdown of one paragraph, without the paragraph.
 * @param {string} text
 */
export const inline = (text) => markdown.renderInline(text);

/**
 * The words of an inline token, without marks.
 * @param {import('markdown-it').Token} token
 * @returns {string}
 */
export const plainText = (token) =>
  (token.children ?? [])
    .map((child) => (/^(text|code_inline)$/.test(child.type) ? child.content : /break$/.test(child.type) ? ' ' : ''))
    .join('');

/**
 * The anchor of a heading, as repository pages derive it.
 * @param {string} heading
 */
const slugOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
