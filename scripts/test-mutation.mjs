#!/usr/bin/env node
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import ts from 'typescript';
import { runAsMain, SetupError } from './process.mjs';
import { root, setupPackages } from './setup.mjs';

/**
 * `npm run test:mutation -- [--mutants <count>] [--coverage <folder>] <file or folder of src> ...`: changes one expression of a
 * source at a time, and runs the test files that execute its function. A mutant that they all accept survives.
 *
 * The coverage names these files: `NODE_V8_COVERAGE=.cache/coverage npm test` writes it. Workflows run in a sandbox without
 * coverage, so files of `test/workflows` judge them. The sources change while it runs: use a clone of its own.
 *
 * @typedef {{ path: string, line: number, start: number, end: number, text: string, functions: string[] }} Mutant
 * @typedef {'killed' | 'survived' | 'timed out' | 'unjudged'} Verdict
 */
const execute = promisify(execFile);
/** Milliseconds for one mutant */
const LIMIT_MS = 300_000;
/** Test files that judge one mutant at most */
const JUDGES = 5;
const SWAPPED = Object.fromEntries(
  ['< <=', '> >=', '=== !==', '&& ||', '+ -', '* /', '<= <', '>= >', '!== ===', '|| &&', '- +', '/ *'].map(
    (pair) => /** @type {[string, string]} */ (pair.split(' ')),
  ),
);

async function main() {
  await setupPackages();
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      mutants: { type: 'string', default: '50' },
      coverage: { type: 'string', default: join(root, '.cache', 'coverage') },
    },
  });
  const judges = readJudges(values.coverage);
  const sources = positionals.flatMap((path) => sourcesBelow(join(root, path)));
  const mutants = sources.flatMap(mutantsOf).sort((one, other) => rank(one).localeCompare(rank(other)));
  const counts = { killed: 0, survived: 0, 'timed out': 0, unjudged: 0 };
  for (const mutant of mutants.slice(0, Number(values.mutants))) {
    const verdict = await judge(mutant, judges(mutant));
    counts[verdict] += 1;
    const [first = ''] = readFileSync(mutant.path, 'utf8').slice(mutant.start, mutant.end).split('\n');
    console.log(`${verdict} ${relative(root, mutant.path)}:${mutant.line} ${first} => ${mutant.text.split('\n')[0]}`);
  }
  console.log(`${mutants.length} possible mutants; ${JSON.stringify(counts)}`);
}

/** Spreads the picked mutants over the sources, the same ones at each run. @param {Mutant} mutant */
const rank = ({ path, start, text }) =>
  createHash('sha256')
    .update(`${relative(root, path)} ${start} ${text}`)
    .digest('hex');

/** @param {string} path @returns {string[]} */
function sourcesBelow(path) {
  if (statSync(path).isFile()) return [path];
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.ts')).map((name) => join(path, name));
}

/** @param {string} path @returns {Mutant[]} */
function mutantsOf(path) {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  /** @type {Mutant[]} */
  const mutants = [];
  /** @param {ts.Node} node @param {string[]} functions names of the functions around it, the innermost first */
  const visit = (node, functions) => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node)) return;
    for (const [part, text] of changesOf(node)) {
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

/** @param {ts.Node} node @returns {[ts.Node, string][]} parts of the source, and what takes their place */
function changesOf(node) {
  if (ts.isBinaryExpression(node)) {
    if (node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken) return [[node, node.left.getText()]];
    const swapped = SWAPPED[node.operatorToken.getText()];
    return swapped === undefined ? [] : [[node.operatorToken, swapped]];
  }
  if (ts.isIfStatement(node)) return [[node.expression, `!(${node.expression.getText()})`]];
  if (ts.isConditionalExpression(node)) return [[node.condition, `!(${node.condition.getText()})`]];
  if (ts.isExpressionStatement(node)) return [[node, ';']];
  if (ts.isNumericLiteral(node)) return [[node, `(${node.text} + 1)`]];
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [[node, 'false']];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [[node, 'true']];
  return [];
}

/**
 * Reads which test files execute a function: each takes its coverage at its end.
 * @param {string} folder of NODE_V8_COVERAGE
 * @returns {(mutant: Mutant) => string[]}
 */
function readJudges(folder) {
  /** @type {Map<string, Set<string>>} */
  const tests = new Map();
  /** @type {Map<string, number>} number of executed functions of a test file */
  const breadth = new Map();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.json')) continue;
    /** @type {{ result: { url: string, functions: { functionName: string, ranges: { count: number }[] }[] }[] }} */
    const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    const scripts = result.filter(({ url }) => url.startsWith('file:') && !url.includes('/node_modules/'));
    const test = scripts.find(({ url }) => /\.test\.ts\?file=\d+$/.test(url));
    if (test === undefined) continue;
    const testPath = fileURLToPath(new URL(test.url));
    for (const { url, functions } of scripts) {
      for (const { functionName, ranges } of functions) {
        if (!ranges.some(({ count }) => count > 0)) continue;
        const key = `${fileURLToPath(new URL(url))} ${functionName}`;
        tests.set(key, (tests.get(key) ?? new Set()).add(testPath));
        breadth.set(testPath, (breadth.get(testPath) ?? 0) + 1);
      }
    }
  }
  if (tests.size === 0)
    throw new SetupError(`${folder} has no coverage of a test file. Run npm test with NODE_V8_COVERAGE.`);
  return ({ path, functions }) => {
    const named = functions.map((name) => tests.get(`${path} ${name}`)).find((each) => each !== undefined);
    // A process runs the code outside of functions once, for the first of its files. So all files that call the module judge it.
    const executing = named ?? [...tests].flatMap(([key, files]) => (key.startsWith(`${path} `) ? [...files] : []));
    const inSandbox = path.startsWith(join(root, 'src', 'workflows'));
    const found = inSandbox ? sourcesBelow(join(root, 'test', 'workflows')) : [...new Set(executing)];
    const words = relative(root, path).split(/\W+/).slice(1, -1);
    /** @param {string} test files with names like the source's come first, then those that execute little else */
    const order = (test) => {
      const shared = words.filter((word) => test.split(/\W+/).includes(word)).length;
      return (breadth.get(test) ?? 0) - shared * 1_000_000;
    };
    return found
      .filter((test) => test.endsWith('.test.ts'))
      .sort((one, other) => order(one) - order(other))
      .slice(0, JUDGES);
  };
}

/** @param {Mutant} mutant @param {string[]} tests @returns {Promise<Verdict>} */
async function judge({ path, start, end, text }, tests) {
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, source.slice(0, start) + text + source.slice(end));
  const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  try {
    if (tests.length === 0) return 'unjudged';
    const args = [jest, '--bail', '--forceExit', '--runInBand', '--runTestsByPath', ...tests];
    await execute(process.execPath, args, { cwd: root, timeout: LIMIT_MS, maxBuffer: 2 ** 26 });
    return 'survived';
  } catch (error) {
    return /** @type {{ killed?: boolean }} */ (error).killed === true ? 'timed out' : 'killed';
  } finally {
    writeFileSync(path, source);
  }
}

await runAsMain(main);
