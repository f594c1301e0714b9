/** Which rooms of src/ a room may import from, besides itself. The table that docs and lint share. */
export const ROOMS = {
  domain: [],
  host: [],
  engine: ['domain', 'host'],
  storage: ['domain', 'host'],
  hosted: ['domain'],
  database: ['domain', 'host'],
  temporal: ['domain', 'host'],
  net: ['domain', 'host'],
  workflows: ['domain'],
  activities: ['domain', 'engine', 'hosted', 'storage', 'database', 'net'],
  api: ['domain', 'storage', 'database', 'temporal'],
  dashboard: ['domain'],
};

/** Rooms of which a room may import types, and nothing that runs. */
const TYPES_OF = { workflows: ['activities'], api: ['workflows'] };

/** Single files that a room may import although their room is closed to it. */
const FILES_OF = { api: ['engine/detect'] };

const ALL = Object.keys(ROOMS).join('|');

/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
const roomRules = Object.entries(ROOMS).flatMap(([room, rooms]) => {
  const types = TYPES_OF[room] ?? [];
  const open = [room, ...rooms, ...types].map((name) => `^src/${name}/`);
  const files = (FILES_OF[room] ?? []).map((name) => `^src/${name}\\.ts$`);
  const from = { path: `^src/${room}/` };
  return [
    {
      name: `${room}-imports`,
      comment: `${room} may import from ${rooms.join(', ') || 'no other room'}`,
      severity: 'error',
      from,
      to: { path: '^src/', pathNot: [...open, ...files] },
    },
    ...types.map((name) => ({
      name: `${room}-imports-types-of-${name}`,
      comment: `${room} may import types from ${name}, and nothing that runs`,
      severity: 'error',
      from,
      to: { path: `^src/${name}/`, dependencyTypesNot: ['type-only'] },
    })),
  ];
});

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...roomRules,
    { name: 'known-rooms', severity: 'error', from: { path: '^src/[^/]+/', pathNot: `^src/(${ALL}|cli)/` }, to: {} },
    {
      name: 'config-imports',
      severity: 'error',
      from: { path: '^src/config(-hosted)?\\.ts$' },
      to: { path: '^src/(?!domain/|config-hosted\\.ts$)' },
    },
    { name: 'worker-imports', severity: 'error', from: { path: '^src/worker\\.ts$' }, to: { path: '^src/cli' } },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'sandboxed',
      comment: 'domain and workflows run in the workflow sandbox, where Node.js is not',
      severity: 'error',
      from: { path: '^src/(domain|workflows)/' },
      to: { dependencyTypes: ['core'] },
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
      from: { path: '^src/engine/' },
      to: { path: 'node_modules/(@temporalio|pg|drizzle-orm|@electric-sql|express|undici)/' },
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
      from: { path: '^src/', pathNot: '^src/(api|dashboard|cli)' },
      to: { path: 'node_modules/express/' },
    },
    { name: 'resolvable', severity: 'error', from: { path: '^src/' }, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
};
