import { existsSync, readFileSync } from 'node:fs';
import { basename, extname, join, posix } from 'node:path';
import { escape } from './markdown.mjs';

/** @typedef {import('markdown-it').Token} Token */
/** @typedef {{ name: string, paths: string[] }} Programs of one line: paths in the repository */

/** Languages by the ends of files. @type {Record<string, string>} */
const LANGUAGES = {
  '.cs': 'csharp',
  '.csproj': 'xml',
  '.go': 'go',
  '.java': 'java',
  '.php': 'php',
  '.py': 'python',
  '.sh': 'bash',
  '.ts': 'typescript',
};

/**
 * Lets a list whose lines are a name and links to files of `examples/`, such as `- Go: [main.go](…) [run.sh](…)`, become tabs with the text
 * of these files. So a program stands once, and a repository shows the links.
 * @param {readonly Token[]} tokens of a page
 * @param {{ source: string }} page
 * @param {string} root
 * @returns {Token[]}
 */
export function showPrograms(tokens, page, root) {
  /** @type {Token[]} */
  const shown = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = /** @type {Token} */ (tokens[at]);
    const end = token.type === 'bullet_list_open' && token.level === 0 ? endOfList(tokens, at) : at;
    const lines = tokens.slice(at, end).filter(({ type }) => type === 'inline');
    const programs = lines.flatMap((line) => programsIn(line, page, root) ?? []);
    if (lines.length === 0 || programs.length < lines.length) shown.push(token);
    else {
      shown.push(...tabs(programs, root, token));
      at = end;
    }
  }
  return shown;
}

/**
 * @param {readonly Token[]} tokens
 * @param {number} start
 */
const endOfList = (tokens, start) =>
  tokens.findIndex(({ type, level }, at) => at > start && type === 'bullet_list_close' && level === 0);

/**
 * @param {Token} line
 * @param {{ source: string }} page
 * @param {string} root
 * @returns {Programs | undefined} undefined: the line has something else
 */
function programsIn({ children }, { source }, root) {
  const parts = children ?? [];
  const [, name] = /^([^:]+): $/.exec(parts[0]?.content ?? '') ?? [];
  const isSpace = parts.slice(1).every(({ type, level, content }) => type !== 'text' || level > 0 || content === ' ');
  const paths = parts
    .filter(({ type }) => type === 'link_open')
    .map((link) => posix.join(posix.dirname(source), String(link.attrGet('href'))));
  const isProgram = (/** @type {string} */ path) =>
    path.startsWith('examples/') && extname(path) in LANGUAGES && existsSync(join(root, path));
  return name !== undefined && isSpace && paths.length > 0 && paths.every(isProgram) ? { name, paths } : undefined;
}

/**
 * @param {readonly Programs[]} programs
 * @param {string} root
 * @param {Token} list
 * @returns {Token[]}
 */
function tabs(programs, root, list) {
  const Token = /** @type {new (type: string, tag: string, nesting: number) => Token} */ (list.constructor);
  const html = (/** @type {string} */ content) => Object.assign(new Token('html_block', '', 0), { content });
  const program = (/** @type {string} */ path) => {
    const text = readFileSync(join(root, path), 'utf8');
    return [
      html(`<p class="file">${escape(basename(path))}</p>\n`),
      Object.assign(new Token('fence', 'code', 0), { info: LANGUAGES[extname(path)], content: text }),
    ];
  };
  const panels = programs.flatMap(({ name, paths }) => [
    html(`<div data-tab="${escape(name)}">`),
    ...paths.flatMap(program),
    html('</div>'),
  ]);
  return [html('<div class="tabs">'), ...panels, html('</div>\n')];
}
