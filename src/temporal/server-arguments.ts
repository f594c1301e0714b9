export interface ServerArguments {
  dbFile: string;
  host: string;
  port: number;
  /** No Web UI when undefined. */
  ui: { host: string; port: number; codecEndpoint: string | undefined } | undefined;
  namespace: string;
  /** What a commit waits for: NORMAL survives the death of a process, FULL the loss of power too. */
  synchronous: 'NORMAL' | 'FULL';
  /** Names of attributes of type Keyword. */
  /** Such as `BurnishStatus=Keyword` */
  searchAttributes: readonly string[];
  /** Whether this CLI has an option against fetching news for the Web UI. */
  canSkipNews: boolean;
}

/**
 * Settings of the server that decide how soon a task reaches a worker, and whose turn it is. A server that does not know one
 * of them ignores it.
 */
const DYNAMIC_CONFIG = [
  // These two rates are low by default, and an idle workflow waits for them before each step.
  'history.transferProcessorMaxPollRPS=1000',
  'history.timerProcessorMaxPollRPS=1000',
  // One process serves all tasks: with four partitions, new tasks overtake old ones, and p95 doubles under load.
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  // A task that has waited this long goes before one that has just come.
  'matching.backlogNegligibleAge="50ms"',
  // Each queue serves accounts in turn (fairness keys), and more important work first (priority keys).
  'matching.useNewMatcher=true',
  'matching.enableFairness=true',
  // Its HTTP interface cannot be turned off, and takes a form of any web page as a command. No browser can name this host, so it
  // answers nobody. Programs use gRPC.
  'frontend.httpAllowedHosts=["nobody.invalid"]',
  // The development server reads them from disk for each query otherwise: a list takes five times as long.
  'system.forceSearchAttributesCacheRefreshOnRead=false',
];

/**
 * The command line of the embedded server. WAL with NORMAL loses nothing when a process dies (a power cut may cost
 * the last moments, never the file's integrity) and is far faster than the default journal.
 */
export function serverArguments(options: ServerArguments): string[] {
  const { dbFile, host, port, ui, namespace, synchronous, searchAttributes, canSkipNews } = options;
  return [
    ...['server', 'start-dev', '--db-filename', dbFile, '--ip', host, '--port', String(port), '--namespace', namespace],
    ...['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', `synchronous=${synchronous}`],
    ...DYNAMIC_CONFIG.flatMap((value) => ['--dynamic-config-value', value]),
    ...(ui === undefined ? ['--headless'] : ['--ui-ip', ui.host, '--ui-port', String(ui.port)]),
    ...(ui?.codecEndpoint === undefined ? [] : ['--ui-codec-endpoint', ui.codecEndpoint]),
    ...(canSkipNews ? ['--ui-disable-news-fetch'] : []),
    ...searchAttributes.flatMap((name) => ['--search-attribute', name]),
    ...['--log-level', 'error', '--log-format', 'json'],
  ];
}
