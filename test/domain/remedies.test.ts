import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from '@jest/globals';
import { explainFailure, explainInOneText, FAILURE_CODES, FAILURES } from '@burnish/contract';
import { repositoryRoot } from '../support/repository.ts';

const FOLDERS = ['src', 'packages/contract/src'];
/** First words of sentences that state a fact. Any other first word must be the verb of a remedy. */
const OF_FACTS = /^(?:The|A|An|It|Its|All|At|Burnish|Supported|Uploads|Expected)$/;
/** Functions whose text becomes the detail of a failure. */
const MAKERS = new Set(['refuse', 'invalid', 'unsupported', 'unavailable', 'rejected', 'fetchFailure']);

/** The text of a string or template; `0` stands for each value. */
function textOf(node: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => `0${literal.text}`).join('');
  return undefined;
}

function textsIn(node: ts.Node): string[] {
  const texts: string[] = [];
  node.forEachChild(function visit(child): void {
    const text = ts.isExpression(child) ? textOf(child) : undefined;
    if (text !== undefined) texts.push(text);
    child.forEachChild(visit);
  });
  const own = ts.isExpression(node) ? textOf(node) : undefined;
  return own === undefined ? texts : [own, ...texts];
}

/** Texts of a source that become details of failures. */
function detailsOf(source: string): string[] {
  const found: string[] = [];
  ts.createSourceFile('x.ts', source, ts.ScriptTarget.Latest, true).forEachChild(function visit(node): void {
    const isDetail =
      (ts.isPropertyAssignment(node) || ts.isVariableDeclaration(node)) && node.name.getText() === 'detail';
    if (isDetail && node.initializer !== undefined) found.push(...textsIn(node.initializer));
    if (ts.isCallExpression(node) && MAKERS.has(node.expression.getText()))
      found.push(...node.arguments.flatMap(textsIn));
    node.forEachChild(visit);
  });
  return found;
}

const sentencesOf = (text: string): string[] => text.split(/(?<=[.!?]) (?=[A-Z])/);

/** Sentences after the first that neither state a fact nor begin the remedy. */
function strangers(text: string): string[] {
  const { detail } = explainFailure(null, text);
  return sentencesOf(detail)
    .slice(1)
    .filter((sentence) => !OF_FACTS.test(/^[A-Za-z]+/.exec(sentence)?.[0] ?? ''));
}

describe('the remedy of a failure', () => {
  test.each(FAILURE_CODES)('of %s is that of its code, unless the text has its own', (code) => {
    const { sentence, remedy } = FAILURES[code];
    expect(explainFailure(code, sentence)).toEqual({ detail: sentence, remedy });
    expect(explainFailure(code, `A detail. ${remedy}`)).toEqual({ detail: 'A detail.', remedy });
    const own = 'Send one of its frames. The limit is 5.';
    expect(explainFailure(code, `A fault. A fact. ${own}`)).toEqual({ detail: 'A fault. A fact.', remedy: own });
    expect(explainInOneText(code, `A fault. ${own}`)).toBe(`A fault. ${own}`);
    expect(explainInOneText(code, sentence)).toBe(`${sentence} ${remedy}`);
  });

  test('is empty without a code', () => {
    expect(explainFailure(null, 'Cancelled.')).toEqual({ detail: 'Cancelled.', remedy: '' });
    expect(explainInOneText(null, 'Cancelled.')).toBe('Cancelled.');
  });

  test('begins with a verb that parts it from the fault, in every detail of src and of the contract', async () => {
    const listed = FOLDERS.map(async (folder) => {
      const names = await readdir(join(repositoryRoot, folder), { recursive: true });
      return names.filter((name) => /\.ts$/.test(name)).map((name) => join(repositoryRoot, folder, name));
    });
    const paths = (await Promise.all(listed)).flat();
    const details = (await Promise.all(paths.map((path) => readFile(path, 'utf8')))).flatMap(detailsOf);
    expect(details.length).toBeGreaterThan(150);
    expect(details.filter((text) => explainFailure(null, text).remedy !== '').length).toBeGreaterThan(40);
    expect(details.flatMap(strangers)).toEqual([]);
  });

  test('is found in texts of each form', () => {
    const source = [
      'const detail = a ? `It has ${n} sides. Rename it.` : "It is. Save it.";',
      'throw new Failure(code, { detail: b + "No. Bend the file." });',
      'throw refuse("No. Stretch it.");',
    ].join('\n');
    expect(detailsOf(source)).toHaveLength(4);
    expect(detailsOf(source).flatMap(strangers)).toEqual(['Rename it.', 'Bend the file.', 'Stretch it.']);
  });
});
