import { readFile } from 'node:fs/promises';
import { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { counted } from '@burnish/contract';
import { MAIN_TASK_QUEUE } from '../../domain/temporal/workflow-interface.ts';
import { NEXUS_TASK_QUEUE } from '../../domain/temporal/operation-interface.ts';
import type { Config } from '../../runtime/config.ts';
import { findKeyRing } from '../../runtime/instance-keys.ts';
import { type NamedHistory, replayHistories } from '../../runtime/replay-histories.ts';
import { installRuntime } from '../../runtime/temporal.ts';
import { VERSION } from '../../runtime/version.ts';
import { connectTemporal } from '../../temporal/connection.ts';
import { connectionSettings, type ConnectionSettings, embeddedSettings } from '../../temporal/connection-settings.ts';
import { type History, historyFromJson } from '../../temporal/history-json.ts';
import { UsageError } from '../command-error.ts';
import type { ReplayOptions } from './replay-command.ts';

export interface ReplayDeps {
  config: Config;
  environment: NodeJS.ProcessEnv;
  log: Logger;
}

/**
 * Replays histories, and tells which ones the code of this build does not fit.
 * @throws StartupError without an answer of the Temporal server, or for a file that is no history; UsageError
 */
export async function replay(
  { files, query, json = false }: ReplayOptions,
  { config, environment, log }: ReplayDeps,
): Promise<{ lines: string[]; fits: boolean }> {
  if (query !== undefined && files.length > 0) throw new UsageError('Give either files or --query.');
  installRuntime(log, null);
  const settings = connectionSettings(environment) ?? embeddedServer(config, environment);
  const keyRing = await findKeyRing(config.dataDir, config.encryptionKey);
  const histories = files.length > 0 ? readFiles(files) : openWorkflows(settings, query);
  const differences: { workflowId: string; reason: string }[] = [];
  let replayed = 0;
  for await (const { workflowId, reason } of replayHistories(histories, { keyRing, namespace: settings.namespace })) {
    replayed += 1;
    if (reason !== null) differences.push({ workflowId, reason });
  }
  const fits = differences.length === 0;
  if (json) return { fits, lines: [JSON.stringify({ version: VERSION, replayed, differences })] };
  const lines = differences.map(({ workflowId, reason }) => `${workflowId} differs: ${reason.split('\n')[0]}`);
  const found = fits
    ? 'No difference was found.'
    : `${counted(differences.length, 'workflow')} ${differences.length === 1 ? 'differs' : 'differ'}.`;
  return { fits, lines: [...lines, `Replayed ${counted(replayed, 'workflow')} with version ${VERSION}. ${found}`] };
}

/** The server of the instance that runs on this machine, probably with an earlier version. */
const embeddedServer = ({ temporalPort }: Config, environment: NodeJS.ProcessEnv): ConnectionSettings =>
  embeddedSettings({
    address: `127.0.0.1:${temporalPort}`,
    namespace: environment['TEMPORAL_NAMESPACE'] ?? 'default',
  });

async function* readFiles(files: readonly string[]): AsyncGenerator<NamedHistory> {
  for (const file of files) {
    const history = historyFromJson(await readFile(file, 'utf8'), file);
    const { workflowId } = history.events![0]!.workflowExecutionStartedEventAttributes!;
    yield { workflowId: workflowId ?? file, history };
  }
}

async function* openWorkflows(settings: ConnectionSettings, query: string | undefined): AsyncGenerator<NamedHistory> {
  const connection = await connectTemporal(settings);
  try {
    const { workflow } = new Client({ connection, namespace: settings.namespace });
    const open = `TaskQueue IN ('${MAIN_TASK_QUEUE}', '${NEXUS_TASK_QUEUE}') AND ExecutionStatus = 'Running'`;
    const all = workflow.list({ query: query === undefined ? open : `${open} AND (${query})` });
    for await (const { workflowId, history } of all.intoHistories()) yield { workflowId, history: history as History };
  } finally {
    await connection.close();
  }
}
