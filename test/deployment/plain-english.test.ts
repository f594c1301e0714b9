import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from '@jest/globals';
import { FAILURES } from '@burnish/contract';
import { repositoryRoot } from '../support/repository.ts';

/** Constructions in which a clause stands for the subject, so that a sentence names no actor and no thing. */
const HIDDEN_SUBJECT = /\b(?:who|whoever|whom|what\s+(?:is|are)|(?:of|that)\s+which)\b/gi;
/** Idioms of earlier texts. The field has standard terms for them, such as processing, unavailable or unchanged. */
const DIALECT =
  /\b(?:is at it|how far an|attempts go on|c[ao]me to|by that id|brings? none|be had|(?:is|are|stays?|be) away|left alone|shown this once|looked (?:for|at)|afresh|anew|handed out|not asked for|without asking|waits? its turn|analys(?:e[ds]?|ing)|gives? back|given back|on its way|under way|tells? of)\b/gi;
const PROSE_PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'];
const TEST_FUNCTIONS = new Set(['describe', 'describeUnless', 'it', 'test', 'testUnless']);
/** Stands for a character that is no prose: it parts words, and keeps the place of those around it. */
const NO_PROSE = '·';

const blank = (text: string): string => text.replace(/\S/g, NO_PROSE);
const withoutSpans = (text: string): string => text.replace(/`[^`\n]*`/g, blank);
const withoutCode = (page: string): string => withoutSpans(page.replace(/^ *```.*?^ *```/gms, blank));

/** A text of the same length that holds the given ranges of it, and blanks out all else. */
function only(ranges: readonly ts.TextRange[], text: string): string {
  let [prose, end] = ['', 0];
  for (const range of [...ranges].sort((a, b) => a.pos - b.pos)) {
    if (range.pos < end) continue;
    prose += blank(text.slice(end, range.pos)) + text.slice(range.pos, range.end);
    end = range.end;
  }
  return prose + blank(text.slice(end));
}

/** The signs that begin comments and their lines, as blanks. */
const withoutSigns = (text: string): string =>
  text.replace(/\/\*+|\/\/+|^\s*\*(?!\/)/gm, (sign) => sign.replace(/\S/g, ' '));

function* nodesOf(node: ts.Node, file: ts.SourceFile): Generator<ts.Node> {
  yield node;
  for (const child of node.getChildren(file)) yield* nodesOf(child, file);
}

const parse = (path: string, text: string): ts.SourceFile =>
  ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, path.endsWith('x') ? ts.ScriptKind.TSX : undefined);

/** Comments of a source, without the signs that begin their lines and without code in backticks. */
function commentsOf(path: string, text: string): string {
  const file = parse(path, text);
  const ranges = [...nodesOf(file, file)]
    .filter(({ kind }) => kind !== ts.SyntaxKind.JsxText)
    .flatMap(({ pos, end }) => [
      ...(ts.getLeadingCommentRanges(text, pos) ?? []),
      ...(ts.getTrailingCommentRanges(text, end) ?? []),
    ]);
  return withoutSpans(withoutSigns(only(ranges, text)));
}

function titlesOf(path: string, text: string): string {
  const file = parse(path, text);
  const titles = [...nodesOf(file, file)].flatMap((node) => {
    if (!ts.isCallExpression(node)) return [];
    let root: ts.Node = node.expression;
    while (ts.isCallExpression(root) || ts.isPropertyAccessExpression(root)) root = root.expression;
    if (!ts.isIdentifier(root) || !TEST_FUNCTIONS.has(root.text)) return [];
    const [title] = node.arguments;
    const isText = title !== undefined && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title));
    return isText ? [{ pos: title.getStart(file), end: title.end }] : [];
  });
  return only(titles, text);
}

/** Texts of strings, templates and markup. */
function stringsOf(path: string, text: string): string {
  const file = parse(path, text);
  const texts = [...nodesOf(file, file)].filter(
    (node) =>
      ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node) || (ts.isJsxText(node) && node.text.trim() !== ''),
  );
  return only(texts, text);
}

/** Lists each offence as `path:line: text`. @param prose the same text with all but prose blanked out */
function offencesIn(path: string, text: string, prose: string, forbidden = HIDDEN_SUBJECT): string[] {
  const lines = text.split('\n');
  return [...prose.matchAll(forbidden)].map(({ index }) => {
    const line = prose.slice(0, index).split('\n').length;
    return `${path}:${line}: ${lines[line - 1]!.trim()}`;
  });
}

async function filesBelow(folder: string, ending: RegExp): Promise<string[]> {
  const names = await readdir(join(repositoryRoot, folder), { recursive: true });
  return names.filter((name) => ending.test(name)).map((name) => join(folder, name));
}

/** Files in a folder of the service, and in that of each package. */
async function filesOfAll(folder: 'src' | 'test', ending: RegExp): Promise<string[]> {
  const packages = await readdir(join(repositoryRoot, 'packages'));
  const folders = [folder, ...packages.map((name) => join('packages', name, folder))];
  return (await Promise.all(folders.map((each) => filesBelow(each, ending)))).flat();
}

async function offencesOf(
  paths: readonly string[],
  read: (path: string, text: string) => string,
  forbidden = HIDDEN_SUBJECT,
): Promise<string[]> {
  const offences: string[] = [];
  for (const path of paths) {
    const text = await readFile(join(repositoryRoot, path), 'utf8');
    // Parsing takes long, and most files hold none of the words anywhere.
    if (withoutSigns(text).search(forbidden) < 0) continue;
    offences.push(...offencesIn(path, text, read(path, text), forbidden));
  }
  return offences;
}

describe('every sentence has a subject', () => {
  it('in README, CONTRIBUTING, SECURITY, CHANGELOG, docs and those of the engine', async () => {
    const folders = await Promise.all(['docs', 'packages/engine/docs'].map((folder) => filesBelow(folder, /\.md$/)));
    const pages = folders.flat().filter((path) => !path.startsWith(join('docs', 'api')));
    expect(pages.length).toBeGreaterThan(10);
    expect(await offencesOf([...PROSE_PAGES, ...pages], (_, text) => withoutCode(text))).toEqual([]);
  });

  it('in the sentences and remedies of failures', () => {
    const sentences = Object.entries(FAILURES).flatMap(([code, { sentence, remedy }]) => [
      { code, text: sentence },
      { code, text: remedy },
    ]);
    expect(sentences.length).toBeGreaterThan(20);
    expect(sentences.flatMap(({ code, text }) => offencesIn(code, text, text))).toEqual([]);
  });

  it('in the comments of sources', async () => {
    const sources = await filesOfAll('src', /\.tsx?$/);
    expect(sources.length).toBeGreaterThan(200);
    expect(await offencesOf(sources, commentsOf)).toEqual([]);
  });

  it('in the titles of tests', async () => {
    const tests = await filesOfAll('test', /\.ts$/);
    expect(tests.length).toBeGreaterThan(200);
    expect(await offencesOf(tests, titlesOf)).toEqual([]);
  });
});

describe('public sentences use the terms of the field', () => {
  it('in REST and GraphQL', async () => {
    const pages = ['openapi.json', 'schema.graphql'].map((name) => join('docs', 'api', name));
    expect(await offencesOf(pages, (_, text) => text, DIALECT)).toEqual([]);
  });

  it('in messages, help texts and pages', async () => {
    const sources = await filesOfAll('src', /\.tsx?$/);
    expect(await offencesOf(sources, stringsOf, DIALECT)).toEqual([]);
  });
});

describe('the search for idioms', () => {
  it('reads strings, templates and markup, and neither comments nor names', () => {
    const source = [
      "const anew = 'none by that id'; // anew",
      'const page = <p title="made anew">is at it {`${anew} left alone`}</p>;',
    ].join('\n');
    expect(offencesIn('planted.tsx', source, stringsOf('planted.tsx', source), DIALECT)).toEqual([
      "planted.tsx:1: const anew = 'none by that id'; // anew",
      ...Array.from({ length: 3 }, () => `planted.tsx:2: ${source.split('\n')[1]}`),
    ]);
  });
});

describe('the search for hidden subjects', () => {
  const offences = (text: string, read: (path: string, text: string) => string): string[] =>
    offencesIn('planted.tsx', text, read('planted.tsx', text));

  it('reads prose across line ends, and no code', () => {
    const page = 'A person\nwho asks.\n\n```sh\nwho -b\n```\n\n`who` is of\nwhich kind? It forgets what `x` is.\n';
    expect(offences(page, (_, text) => withoutCode(text))).toEqual([
      'planted.tsx:2: who asks.',
      'planted.tsx:8: `who` is of',
    ]);
  });

  it('reads comments of every kind, and neither strings, code in backticks nor markup', () => {
    const source = [
      '/** Forgets what',
      ' * is old. `who` */',
      "const who = 'https://who.example'; // For whom?",
      'const page = <p title="what is">Who // what is {/* of which */ who} there</p>;',
      '// One, two, each of',
      '// which counts',
    ].join('\n');
    expect(offences(source, commentsOf)).toEqual([
      'planted.tsx:1: /** Forgets what',
      "planted.tsx:3: const who = 'https://who.example'; // For whom?",
      'planted.tsx:4: const page = <p title="what is">Who // what is {/* of which */ who} there</p>;',
      'planted.tsx:5: // One, two, each of',
    ]);
  });

  it('reads titles also behind options and tables, and no other texts of a test', () => {
    const source = [
      "describe('all who ask', () => {",
      "  it.each(['who'])('takes what is %s', () => expect('who').toBe(who));",
      '  testUnless(lack)(`waits for whom ${it}`, wait, 1);',
      "  ask('who');",
      '});',
    ];
    expect(offences(source.join('\n'), titlesOf)).toEqual(
      source.slice(0, 3).map((line, index) => `planted.tsx:${index + 1}: ${line.trim()}`),
    );
  });
});
