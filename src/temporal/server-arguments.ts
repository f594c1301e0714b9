export interface ServerArguments {
  host: string;
  port: number;
  /** Undefined: no Web UI. */
  ui: { host: string; port: number; codecEndpoint: string | undefined } | undefined;
  namespace: string;
  synchronous: 'NORMAL' | 'FULL';
  searchAttributes: readonly string[];
  /** Whether this CLI has an option to disable the Web UI's news requests. */
  canSkipNews: boolean;
}

/** Server settings for the latency and the order of task dispatch. A server ignores unknown settings. */
const DYNAMIC_CONFIG = [
  // Both rates are low by default, and an idle workflow waits for them before each step.
  'history.transferProcessorMaxPollRPS=1000',
  'history.timerProcessorMaxPollRPS=1000',
  // One process serves all tasks: with four partitions, new tasks overtake old ones, and p95 doubles under load.
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  // A task with a longer wait precedes a new one.
  'matching.backlogNegligibleAge="50ms"',
  // Each queue serves accounts in turn (fairness keys), and work with higher priority first (priority keys).
  'matching.useNewMatcher=true',
  'matching.enableFairness=true',
  // The default, 128,000, lets the memory of the server grow with every upload for an hour: 97 MB for 5,000 workflows.
  'history.hostLevelCacheMaxSize=1000',
  // The server's HTTP interface cannot be disabled, and accepts a form of any web page as a command. No browser can
  // use this host name, so it serves no request. Programs use gRPC.
  'frontend.httpAllowedHosts=["nobody.invalid"]',
  // Otherwise the development server reads them from disk for each query: a list takes five times as long.
  'system.forceSearchAttributesCacheRefreshOnRead=false',
];

/** Relative to the working folder of the server, which takes `#`, `?` and `%` of a path for parts of a URI. */
export const DATABASE_FILE = 'temporal.sqlite';

/**
 * Settings of the server's only connection to its file. The default cache of 2 MB holds fewer pages than the running uploads of a
 * busy instance. The default checkpoint, after 1,000 pages, writes the same pages to the file several times a second.
 */
const CONNECTION = ['cache_size=-32000', 'wal_autocheckpoint=10000'];

/**
 * The command line of the embedded server. WAL with NORMAL loses nothing when a process dies, and is far faster than
 * the default journal. A power failure may lose the last moments, but never the file's integrity.
 */
export function serverArguments(options: ServerArguments): string[] {
  const { host, port, ui, namespace, synchronous, searchAttributes, canSkipNews } = options;
  return [
    ...['server', 'start-dev', '--db-filename', DATABASE_FILE],
    ...['--ip', host, '--port', String(port), '--namespace', namespace],
    ...['journal_mode=WAL', `synchronous=${synchronous}`, ...CONNECTION].flatMap((pragma) => [
      '--sqlite-pragma',
      pragma,
    ]),
    ...DYNAMIC_CONFIG.flatMap((value) => ['--dynamic-config-value', value]),
    ...(ui === undefined ? ['--headless'] : ['--ui-ip', ui.host, '--ui-port', String(ui.port)]),
    ...(ui?.codecEndpoint === undefined ? [] : ['--ui-codec-endpoint', ui.codecEndpoint]),
    ...(canSkipNews ? ['--ui-disable-news-fetch'] : []),
    ...searchAttributes.flatMap((name) => ['--search-attribute', name]),
    ...['--log-level', 'error', '--log-format', 'json'],
  ];
}
