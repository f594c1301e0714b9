import { expect, it } from '@jest/globals';
import { workflowBundle } from '../support/workflow-bundle.ts';

const START = '"./src/workflows/shared-modules.ts"';

/** The modules of the bundle with the names of the modules that each one imports. */
const imports = new Map(
  workflowBundle.code
    .split(/^\/\*\*\*\/ (?=")/m)
    .map((text) => [/^".*?"/.exec(text)?.[0] ?? '', text.match(/"\.\/(?:src|packages)\/[^"]+"/g)?.slice(1) ?? []]),
);

it('workflows share every module of domain and of the contract, so that no workflow evaluates one again', () => {
  const shared = new Set([START]);
  for (const name of shared) for (const imported of imports.get(name) ?? []) shared.add(imported);
  const pure = [...imports.keys()].filter((name) => /^"\.\/(src\/domain|packages\/contract\/src)\//.test(name));
  expect(pure.length).toBeGreaterThan(50);
  expect(pure.filter((name) => !shared.has(name))).toEqual([]);
  // The modules of a workflow keep its state.
  expect([...shared].filter((name) => name.startsWith('"./src/workflows/'))).toEqual([START]);
});
