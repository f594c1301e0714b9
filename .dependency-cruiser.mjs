/** The modules of src/ that a module may import, besides itself. Documentation and lint share this table. */
export const MODULES = {
  domain: [],
  process: [],
  secrets: [],
  tracing: [],
  sandbox: ['domain'],
  storage: ['domain', 'process'],
  hosted: ['domain'],
  database: ['domain', 'process', 'secrets'],
  temporal: ['domain', 'process', 'secrets', 'tracing'],
  net: ['domain', 'process', 'tracing'],
  workflows: ['domain'],
  activities: ['domain', 'process', 'sandbox', 'hosted', 'storage', 'database', 'net', 'tracing'],
  api: ['domain', 'process', 'storage', 'database', 'temporal', 'tracing'],
  nexus: ['domain', 'process', 'secrets', 'database', 'api', 'tracing'],
};

/** The vocabulary of the engine, which imports nothing, and its schemas. Each module that may import `domain` may import them. */
const VOCABULARY = 'packages/engine/src/(contract|schemas)\\.ts$';
const IN_VOCABULARY = '^packages/engine/src/contract(/|\\.ts$)';
/** What a package offers, by its name. */
const ENTRIES = ['^packages/[^/]+/src/index\\.ts$', '^packages/engine/src/(contract|schemas|host)\\.ts$'];

/** What each package may import besides itself and packages of npm. */
export const PACKAGES = {
  client: ['src/domain/', VOCABULARY],
  dashboard: ['src/domain/', VOCABULARY, 'packages/client/src/index\\.ts$'],
  engine: ['packages/(pdf|jail)/src/index\\.ts$'],
  jail: [],
  pdf: [],
};

/** The modules of src/ that may import a package, by its name. Commands of the service are callers themselves. */
const USERS_OF = {
  client: ['cli'],
  dashboard: ['nothing'],
  engine: ['sandbox', 'activities', 'runtime', 'cli'],
  jail: ['sandbox', 'process'],
  pdf: ['nothing'],
};

/** Modules that give another module their types only. */
const TYPES_OF = { workflows: ['activities'], api: ['workflows', 'net'], nexus: ['workflows'] };

const ALL = Object.keys(MODULES).join('|');
const WITHOUT_DOMAIN = Object.keys(MODULES).filter((name) => name !== 'domain' && !MODULES[name].includes('domain'));

/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
const moduleRules = Object.entries(MODULES).flatMap(([name, allowed]) => {
  const types = TYPES_OF[name] ?? [];
  const open = [name, ...allowed, ...types].map((module) => `^src/${module}/`);
  const from = { path: `^src/${name}/` };
  return [
    {
      name: `${name}-imports`,
      comment: `${name} may import from ${allowed.join(', ') || 'no other module'}`,
      severity: 'error',
      from,
      to: { path: '^src/', pathNot: open },
    },
    ...types.map((module) => ({
      name: `${name}-imports-types-of-${module}`,
      comment: `${name} may import types from ${module}, and nothing that runs`,
      severity: 'error',
      from,
      to: { path: `^src/${module}/`, dependencyTypesNot: ['type-only'] },
    })),
  ];
});

/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
const packageRules = Object.entries(PACKAGES).map(([name, allowed]) => ({
  name: `package-${name}-imports`,
  comment: `the package ${name} may import from ${allowed.join(', ') || 'nothing else'}`,
  severity: 'error',
  from: { path: `^packages/${name}/src/` },
  to: { path: '^(src|packages)/', pathNot: [`packages/${name}/src/`, ...allowed].map((path) => `^${path}`) },
}));

/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
const userRules = Object.entries(USERS_OF).map(([name, users]) => ({
  name: `${name}-in-${users.join('-and-')}`,
  comment: `of src/, ${users.join(' and ')} may import the package ${name}`,
  severity: 'error',
  from: { path: '^src/', pathNot: `^src/(${users.join('|')})/` },
  to: { path: `^packages/${name}/`, pathNot: `^${VOCABULARY}` },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...moduleRules,
    ...packageRules,
    ...userRules,
    {
      name: 'packages-by-name',
      comment: 'a package has an index, and nobody else knows its files',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^packages/', pathNot: ENTRIES },
    },
    {
      name: 'vocabulary-beside-domain',
      severity: 'error',
      from: { path: `^src/(${WITHOUT_DOMAIN.join('|')})/` },
      to: { path: `^${VOCABULARY}` },
    },
    {
      name: 'jail-by-its-types',
      comment: 'the engine describes its tasks to a jail, and runs without one',
      severity: 'error',
      from: { path: '^packages/engine/src/' },
      to: { path: '^packages/jail/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'known-modules',
      severity: 'error',
      from: {
        path: '^(src|packages)/[^/]+/',
        pathNot: [`^src/(${ALL}|cli|runtime)/`, `^packages/(${Object.keys(PACKAGES).join('|')})/`],
      },
      to: {},
    },
    {
      name: 'config-imports',
      severity: 'error',
      from: { path: '^src/runtime/config(-hosted)?\\.ts$' },
      to: { path: '^(src|packages)/', pathNot: ['^src/domain/', '^src/runtime/config-hosted\\.ts$', `^${VOCABULARY}`] },
    },
    { name: 'runtime-imports', severity: 'error', from: { path: '^src/runtime/' }, to: { path: '^src/cli' } },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'sandboxed',
      comment:
        'domain, the vocabulary of the engine and workflows run in the workflow sandbox, and the client in browsers, where Node.js is not',
      severity: 'error',
      from: {
        path: ['^(src/(domain|workflows)|packages/client/src)/', IN_VOCABULARY],
        pathNot:
          '^packages/client/src/(testing/(fake-activity|fake-enhancements|fake-service|skip-time|start-fake-burnish)|temporal/worker)',
      },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'client-alone',
      comment: 'the client has no dependency; its modules for callers in Temporal need those of a worker',
      severity: 'error',
      from: { path: '^packages/client/src/', pathNot: '^packages/client/src/(temporal|testing)/' },
      to: { path: ['^packages/client/src/(temporal|testing)/', 'node_modules/(@temporalio|nexus-rpc|zod)/'] },
    },
    {
      name: 'dependency-free',
      comment: 'the reader of PDFs and the jail have no dependency',
      severity: 'error',
      from: { path: '^packages/(pdf|jail)/src/' },
      to: { path: 'node_modules/' },
    },
    {
      name: 'workflow-packages',
      severity: 'error',
      from: { path: '^src/workflows/' },
      to: { path: 'node_modules/', pathNot: 'node_modules/@temporalio/(workflow|common)/' },
    },
    {
      name: 'plain-engine',
      comment: 'the engine is bytes in, bytes out; it knows no Temporal, database or HTTP',
      severity: 'error',
      from: { path: '^packages/engine/src/' },
      to: { path: 'node_modules/(@temporalio|pg|drizzle-orm|@electric-sql|express|undici)/' },
    },
    {
      name: 'vocabulary-alone',
      comment: 'the vocabulary of the engine has no dependency',
      severity: 'error',
      from: { path: IN_VOCABULARY },
      to: { path: ['node_modules/', '^(src|packages)/'], pathNot: IN_VOCABULARY },
    },
    {
      name: 'workflows-without-schemas',
      comment: 'the sandbox of workflows would evaluate Zod for each workflow',
      severity: 'error',
      from: { path: '^src/workflows/' },
      to: { path: '^packages/engine/src/schemas\\.ts$' },
    },
    {
      name: 'sql-in-database',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/database/' },
      to: { path: 'node_modules/(pg|drizzle-orm|@electric-sql)/' },
    },
    {
      name: 'express-in-api',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(api|runtime)' },
      to: { path: 'node_modules/express/' },
    },
    { name: 'resolvable', severity: 'error', from: { path: '^(src|packages)/' }, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    // It knows where the sources of a package are.
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
};
