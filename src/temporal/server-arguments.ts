export interface ServerArguments {
  dbFile: string;
  host: string;
  port: number;
  /** No Web UI when undefined. */
  uiPort: number | undefined;
  namespace: string;
  /** What a commit waits for: NORMAL survives the death of a process, FULL the loss of power too. */
  synchronous: 'NORMAL' | 'FULL';
  /** Names of attributes of type Keyword. */
  /** Such as `BurnishStatus=Keyword` */
  searchAttributes: readonly string[];
  /** Whether this CLI can be told not to fetch news for the Web UI. */
  canSkipNews: boolean;
}

/**
 * The command line of the embedded server. WAL with NORMAL loses nothing when a process dies (a power cut may cost
 * the last moments, never the file's integrity) and is far faster than the default journal; the two rates, which are low by default,
 * decide how long an idle workflow waits for its next step.
 */
export function serverArguments(options: ServerArguments): string[] {
  const { dbFile, host, port, uiPort, namespace, synchronous, searchAttributes, canSkipNews } = options;
  return [
    ...['server', 'start-dev', '--db-filename', dbFile, '--ip', host, '--port', String(port), '--namespace', namespace],
    ...['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', `synchronous=${synchronous}`],
    ...['--dynamic-config-value', 'history.transferProcessorMaxPollRPS=1000'],
    ...['--dynamic-config-value', 'history.timerProcessorMaxPollRPS=1000'],
    ...(uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort)]),
    ...(canSkipNews ? ['--ui-disable-news-fetch'] : []),
    ...searchAttributes.flatMap((name) => ['--search-attribute', name]),
    ...['--log-level', 'error', '--log-format', 'json'],
  ];
}
