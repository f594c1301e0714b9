import { type TemporalUi, viewOfAccount, WORKFLOW_VIEWS, workflowViewUrl } from '@burnish/contract';
import { localUrl } from '../../domain/local-url.ts';
import { StartupError } from '../../domain/startup-error.ts';
import type { Config } from '../../runtime/config.ts';
import { connectionSettings } from '../../temporal/connection-settings.ts';
import { saveViewsScript } from '../../temporal/ui-storage.ts';
import type { ViewsOptions } from './views-command.ts';

/**
 * The links of the views into the Web UI of the settings. Asks no server.
 * @throws StartupError if the URL of the Web UI is unknown
 */
export function views(
  { account, script = false, json = false }: ViewsOptions,
  { config, environment }: { config: Config; environment: NodeJS.ProcessEnv },
): string[] {
  const ui = findTemporalUi(config, environment);
  const wanted = account === undefined ? WORKFLOW_VIEWS : WORKFLOW_VIEWS.map((view) => viewOfAccount(view, account));
  if (script) return [saveViewsScript(ui.namespace, wanted)];
  const links = wanted.map((view) => ({ ...view, url: workflowViewUrl(ui, view) }));
  return json ? [JSON.stringify(links)] : links.flatMap(({ name, url }) => [name, `  ${url}`]);
}

function findTemporalUi(
  { temporalUiUrl, temporalUiPort }: Pick<Config, 'temporalUiUrl' | 'temporalUiPort'>,
  env: NodeJS.ProcessEnv,
): TemporalUi {
  const settings = connectionSettings(env);
  const namespace = settings?.namespace ?? env['TEMPORAL_NAMESPACE'] ?? 'default';
  if (temporalUiUrl !== null) return { url: temporalUiUrl, namespace };
  if (settings === undefined) return { url: localUrl('127.0.0.1', temporalUiPort), namespace };
  throw new StartupError(
    'The Web UI of this Temporal server has no known address. Set BURNISH_TEMPORAL_UI_URL to its URL.',
  );
}
