import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { root } from '../setup.mjs';

/**
 * A change of one expression. `functions` are the names of the functions around it, the innermost first.
 *
 * @typedef {{ id: number, path: string, line: number, start: number, end: number, text: string, functions: string[] }} Mutant
 */
const SWAPPED = Object.fromEntries(
  ['< <=', '> >=', '=== !==', '&& ||', '+ -', '* /', '<= <', '>= >', '!== ===', '|| &&', '- +', '/ *'].map(
    (pair) => /** @type {[string, string]} */ (pair.split(' ')),
  ),
);

/**
 * Picks mutants of these sources, the same ones at each run, and spreads them over the sources.
 *
 * @param {string[]} paths files or folders, relative to the repository
 * @param {number} count
 */
export function pickMutants(paths, count) {
  const all = paths.flatMap((path) => sourcesBelow(join(root, path))).flatMap(mutantsOf);
  const picked = all.sort((one, other) => rank(one).localeCompare(rank(other))).slice(0, count);
  return { possible: all.length, mutants: picked.map((mutant, id) => ({ ...mutant, id })) };
}

/** @param {string} path @returns {string[]} */
export function sourcesBelow(path) {
  if (statSync(path).isFile()) return [path];
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.ts')).map((name) => join(path, name));
}

/** @param {Omit<Mutant, 'id'>} mutant */
export function describeMutant({ path, line, start, end, text }) {
  const [first = ''] = readFileSync(path, 'utf8').slice(start, end).split('\n');
  return `${relative(root, path)}:${line} ${first} => ${text.split('\n')[0]}`;
}

/** @param {string} source @param {Mutant} mutant */
export const withMutant = (source, { start, end, text }) =>
  source.slice(0, start) + (text === ';' ? text : `(${text})`) + source.slice(end);

/**
 * Returns a source with all of these mutants. `globalThis.mutant(id)` decides at run time whether a mutant is active; where
 * that function is absent, the code is the original.
 *
 * @param {string} source
 * @param {Mutant[]} mutants
 */
export function withSwitches(source, mutants) {
  /** @param {number} start @param {number} end @param {Mutant[]} inside @returns {string} */
  const render = (start, end, inside) => {
    let text = '';
    let position = start;
    for (const outer of inside.filter((one) => !inside.some((other) => contains(other, one)))) {
      const nested = inside.filter((one) => contains(outer, one));
      text += source.slice(position, outer.start) + choose(outer, render(outer.start, outer.end, nested));
      position = outer.end;
    }
    return text + source.slice(position, end);
  };
  const sorted = mutants.toSorted((one, other) => one.start - other.start || one.id - other.id);
  return render(0, source.length, sorted);
}

/** @param {Mutant} outer @param {Mutant} inner */
const contains = (outer, inner) =>
  outer !== inner &&
  outer.start <= inner.start &&
  inner.end <= outer.end &&
  (outer.end - outer.start > inner.end - inner.start || outer.id < inner.id);

/** @param {Mutant} mutant @param {string} original */
function choose({ id, text }, original) {
  const active = `globalThis.mutant?.(${id})`;
  return text === ';' ? `if (!${active}) { ${original} }` : `(${active} ? (${text}) : (${original}))`;
}

/** @param {Omit<Mutant, 'id'>} mutant */
const rank = ({ path, start, text }) =>
  createHash('sha256')
    .update(`${relative(root, path)} ${start} ${text}`)
    .digest('hex');

/** @param {string} path @returns {Omit<Mutant, 'id'>[]} */
function mutantsOf(path) {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  /** @type {Omit<Mutant, 'id'>[]} */
  const mutants = [];
  /** @param {ts.Node} node @param {string[]} functions */
  const visit = (node, functions) => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node)) return;
    for (const [part, text] of changesOf(node, source)) {
      const start = part.getStart(source);
      const { line } = source.getLineAndCharacterOfPosition(start);
      mutants.push({ path, line: line + 1, start, end: part.getEnd(), text, functions });
    }
    const name = ts.isFunctionLike(node) || ts.isVariableDeclaration(node) ? node.name?.getText(source) : undefined;
    const around = name === undefined ? functions : [name, ...functions];
    ts.forEachChild(node, (child) => visit(child, around));
  };
  visit(source, []);
  return mutants;
}

/** @param {ts.Node} node @param {ts.SourceFile} source @returns {[ts.Node, string][]} parts of the source, and their replacement */
function changesOf(node, source) {
  if (ts.isBinaryExpression(node)) {
    if (node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken) return [[node, node.left.getText(source)]];
    const swapped = SWAPPED[node.operatorToken.getText(source)];
    return swapped === undefined
      ? []
      : [[node, `${node.left.getText(source)} ${swapped} ${node.right.getText(source)}`]];
  }
  if (ts.isIfStatement(node)) return [[node.expression, `!(${node.expression.getText(source)})`]];
  if (ts.isConditionalExpression(node)) return [[node.condition, `!(${node.condition.getText(source)})`]];
  if (ts.isExpressionStatement(node)) return [[node, ';']];
  if (ts.isNumericLiteral(node)) {
    const isKey = ts.isPropertyAssignment(node.parent) && node.parent.name === node;
    return isKey ? [] : [[node, `${node.text} + 1`]];
  }
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [[node, 'false']];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [[node, 'true']];
  return [];
}
