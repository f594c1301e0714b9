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
  'test-accounts': ['domain', 'process', 'database', 'activities'],
  api: ['domain', 'process', 'storage', 'database', 'temporal', 'tracing'],
  nexus: ['domain', 'process', 'secrets', 'database', 'api', 'tracing'],
};

/** The folders of src/api from the ground to the roof, which are the files of src/api itself. A folder imports those before it. */
export const API_ORDER = [
  ...['schemas', 'trouble', 'commands', 'http', 'dashboard', 'changes', 'rest', 'audit', 'health', 'hosted-webhooks'],
  ...[
    'test-clock',
    'files',
    'metrics',
    'graphql',
    'previews',
    'looks',
    'archives',
    'api-keys',
    'credits',
    'enhancements',
    'reports',
    'trials',
    'settings',
  ],
  ...['webhooks', 'operator', 'presets', 'uploads', 'batches', 'events', 'resumable-uploads', 'signed-uploads'],
  ...['reconcile', 'openapi', 'docs', 'temporal-ui', 'sessions', '.'],
];

/** The entries of the contract: the shared vocabulary, the engine's part of it, and the schemas. Modules that may import `domain` may import them. */
const CONTRACT = 'packages/contract/src/(index|engine|schemas)\\.ts$';
const VOCABULARY = 'packages/contract/src/index\\.ts$';
const ENGINE_VOCABULARY = '^packages/contract/src/engine(/|\\.ts$)';
const SCHEMAS = '^packages/contract/src/schemas(/|\\.ts$)';
/** What a package offers, by its name. */
const ENTRIES = ['^packages/[^/]+/src/index\\.ts$', `^${CONTRACT}`, '^packages/engine/src/host\\.ts$'];

/** What each package may import besides itself and packages of npm. */
export const PACKAGES = {
  client: [CONTRACT],
  contract: [],
  dashboard: [VOCABULARY, 'packages/client/src/index\\.ts$'],
  engine: ['packages/contract/src/(engine|schemas)\\.ts$', 'packages/(pdf|jail)/src/index\\.ts$'],
  guide: ['packages/client/src/index\\.ts$'],
  jail: [],
  pdf: [],
};

/** The modules of src/ that may import a package, by its name. Commands of the service are callers themselves. */
const USERS_OF = {
  client: ['cli'],
  dashboard: ['nothing'],
  engine: ['sandbox', 'activities', 'runtime', 'cli'],
  guide: ['nothing'],
  jail: ['sandbox', 'process'],
  pdf: ['nothing'],
};

/** Modules that give another module their types only. */
const TYPES_OF = { workflows: ['activities'], api: ['workflows', 'net'], nexus: ['workflows'] };

/** Where other modules meet what belongs to test accounts alone: orders, clock, provider and outcomes. */
export const TEST_ACCOUNTS = {
  api: ['orders', 'advance-clock'],
  workflows: ['workflow-clock'],
  runtime: ['provider', 'outcomes'],
};
const plugPointsOf = (/** @type {string} */ module) =>
  (TEST_ACCOUNTS[module] ?? []).map((file) => `^src/test-accounts/${file}\\.ts$`);

const ALL = Object.keys(MODULES).join('|');
const WITHOUT_DOMAIN = Object.keys(MODULES).filter((name) => name !== 'domain' && !MODULES[name].includes('domain'));

/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
const moduleRules = Object.entries(MODULES).flatMap(([name, allowed]) => {
  const types = TYPES_OF[name] ?? [];
  const open = [...[name, ...allowed, ...types].map((module) => `^src/${module}/`), ...plugPointsOf(name)];
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
  to: {
    path: '^(src|packages)/',
    pathNot: [`packages/${name}/(src|node_modules)/`, ...allowed].map((path) => `^${path}`),
  },
}));

/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
const userRules = Object.entries(USERS_OF).map(([name, users]) => ({
  name: `${name}-in-${users.join('-and-')}`,
  comment: `of src/, ${users.join(' and ')} may import the package ${name}`,
  severity: 'error',
  from: { path: '^src/', pathNot: `^src/(${users.join('|')})/` },
  to: { path: `^packages/${name}/` },
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
      name: 'contract-beside-domain',
      severity: 'error',
      from: { path: `^src/(${WITHOUT_DOMAIN.join('|')})/` },
      to: { path: '^packages/contract/' },
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
      name: 'stores-at-the-roof',
      comment: 'a room names the stores that it uses, by their own types',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(database|runtime|cli)/|^src/api/[^/]+\\.ts$' },
      to: { path: '^src/database/stores\\.ts$' },
    },
    {
      name: 'test-accounts-by-plug-points',
      comment: 'runtime, too, knows of test accounts by the files that TEST_ACCOUNTS names',
      severity: 'error',
      from: { path: '^src/(runtime|cli)/' },
      to: { path: '^src/test-accounts/', pathNot: plugPointsOf('runtime') },
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
        'domain, the contract and workflows run in the workflow sandbox, and the client in browsers, where Node.js is not',
      severity: 'error',
      from: {
        path: '^(src/(domain|workflows|test-accounts/workflow-clock)|packages/(client|contract)/src)',
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
      to: { path: ['^packages/client/src/(temporal|testing)/', SCHEMAS, 'node_modules/(@temporalio|nexus-rpc|zod)/'] },
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
      from: { path: '^src/(workflows|test-accounts/workflow-clock)' },
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
      comment: 'the vocabulary has no dependency; its schemas stand apart, so that pages and workflows load no Zod',
      severity: 'error',
      from: { path: '^packages/contract/src/', pathNot: SCHEMAS },
      to: { path: ['node_modules/', SCHEMAS] },
    },
    {
      name: 'schemas-by-zod',
      severity: 'error',
      from: { path: SCHEMAS },
      to: { path: 'node_modules/', pathNot: 'node_modules/zod/' },
    },
    {
      name: 'engine-vocabulary-alone',
      comment: 'the engine knows no terms of the service',
      severity: 'error',
      from: { path: ENGINE_VOCABULARY },
      to: { path: '^packages/contract/src/', pathNot: ENGINE_VOCABULARY },
    },
    {
      name: 'workflows-without-schemas',
      comment: 'the sandbox of workflows would evaluate Zod for each workflow',
      severity: 'error',
      from: { path: '^src/workflows/' },
      to: { path: SCHEMAS },
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
