import { basename } from 'node:path';
import tseslint from 'typescript-eslint';

/** .dependency-cruiser.mjs has the rules for imports between modules. */
const fileNames = {
  meta: { type: 'problem', schema: [] },
  create: (/** @type {import('eslint').Rule.RuleContext} */ context) => ({
    Program(/** @type {import('estree').Program} */ node) {
      const name = basename(context.filename);
      if (/^\.?[a-z0-9]+(-[a-z0-9]+)*(\.[a-z]+)+$/.test(name)) return;
      context.report({ node, message: `File name "${name}" is not kebab-case.` });
    },
  }),
};

/** Playwright methods that read a page once and do not retry. */
const LOOKS = [
  'allInnerTexts',
  'boundingBox',
  'count',
  'getAttribute',
  'innerText',
  'inputValue',
  'isChecked',
  'isDisabled',
  'isEnabled',
  'isVisible',
  'textContent',
  'title',
];

export default tseslint.config(
  {
    ignores: [
      '**/dist/',
      'packages/contract/src/representations/answers.ts',
      'examples/',
      'node_modules/',
      '.cache/',
      '.burnish/',
      'out/',
      'coverage/',
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    plugins: { burnish: { rules: { 'file-names': fileNames } } },
    rules: {
      'max-lines': ['error', { max: 300, skipBlankLines: false, skipComments: false }],
      eqeqeq: 'error',
      'no-console': 'off',
      'no-debugger': 'error',
      'no-duplicate-imports': 'error',
      'no-var': 'error',
      'no-unsafe-finally': 'error',
      'prefer-const': 'error',
      'burnish/file-names': ['error'],
    },
  },
  {
    files: ['**/*.{ts,tsx}'],
    plugins: { '@typescript-eslint': tseslint.plugin },
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/no-array-delete': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-for-in-array': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-unnecessary-type-assertion': 'error',
      '@typescript-eslint/no-unused-expressions': 'error',
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/prefer-promise-reject-errors': 'error',
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    },
  },
  {
    files: ['{src,packages/*/src}/**/*.{ts,tsx}'],
    ignores: ['**/*.d.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Export by name.' },
        { selector: 'TSEnumDeclaration', message: 'Use a union of literals.' },
        {
          selector: `CallExpression[callee.object.name="AbortSignal"][callee.property.name="any"] Identifier[name="timeout"]`,
          message: 'On Node 20, the garbage collector may take the timeout. Use a timer and an AbortController.',
        },
      ],
    },
  },
  {
    files: ['src/**'],
    // One hands the whole contract on.
    ignores: ['src/test-accounts/**', 'src/workflows/shared-modules.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          name: '@burnish/contract',
          importNames: ['findTestEffect', 'unknownTestReference', 'TEST_PREFIX'],
          message: 'Only src/test-accounts knows what a reference of a test account causes.',
        },
      ],
    },
  },
  {
    files: ['{test,packages/*/test}/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: `CallExpression[callee.name="expect"] AwaitExpression > CallExpression[callee.property.name=/^(${LOOKS.join('|')})$/]`,
          message: 'A page is still on its way when it is looked at: poll(() => …).',
        },
        {
          selector: 'MemberExpression[object.name=/^(describe|it|test)$/][property.name="skip"]',
          message: 'Name what the machine lacks: testUnless(…) of test/support/needs.ts.',
        },
      ],
    },
  },
  {
    // A table of cases may be long; a test file still tests one thing.
    files: ['{test,packages/*/test,bench}/**'],
    rules: { 'max-lines': ['error', { max: 400, skipBlankLines: false, skipComments: false }] },
  },
);
