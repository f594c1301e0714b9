import { randomBytes } from 'node:crypto';
import { WORKFLOW_VIEWS, type WorkflowView } from '@burnish/contract';
import {
  errorCodeAttribute,
  fileNameAttribute,
  statusAttribute,
  waitingForAttribute,
} from '../domain/temporal/search-attributes.ts';

/** Where the Web UI keeps the columns of its list of workflows in the browser, by namespace. */
const COLUMNS_KEY = 'namespace-workflow-table-columns';
/** Where the Web UI keeps the saved views of that list, by namespace. */
const VIEWS_KEY = 'saved-workflow-queries';

/**
 * The columns of the list until a person chooses others. The Web UI calls a workflow RUNNING until its upload is deleted, so the state of
 * the upload stands beside it.
 */
const STATE_COLUMNS = [statusAttribute, waitingForAttribute, errorCodeAttribute].map(({ name }) => name);
const columns = (searchNames: boolean): object[] =>
  ['Status', ...STATE_COLUMNS, ...(searchNames ? [fileNameAttribute.name] : []), 'Workflow ID', 'Start', 'End'].map(
    (label) => ({ label, pinned: false }),
  );

const savedViews = (views: readonly WorkflowView[]): object[] => views.map((view) => ({ ...view, type: 'user' }));

/** A value in a script of a page, which no text of it can end. */
const literal = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

/**
 * A script for the console of a browser on a Web UI: saves views for a namespace, in place of those with the same ids, beside those of a
 * person. The Web UI shows them after its next load.
 */
export function saveViewsScript(namespace: string, views: readonly WorkflowView[]): string {
  const [key, name, ours] = [VIEWS_KEY, namespace, savedViews(views)].map(literal);
  return `{ const all = JSON.parse(localStorage.getItem(${key})) ?? {}, ours = ${ours}; all[${name}] = [...(all[${name}] ?? []).filter(({ id }) => !ours.some((view) => view.id === id)), ...ours]; localStorage.setItem(${key}, JSON.stringify(all)); location.reload(); }`;
}

export interface UiEntry {
  namespace: string;
  /** Whether the list of workflows has file names */
  searchNames: boolean;
}

/**
 * A page that gives the Web UI its columns and saved views, unless the browser has some for the namespace, and leads on.
 * @param to a path of the Web UI
 */
export function uiEntryPage(
  { namespace, searchNames }: UiEntry,
  to: string,
): { headers: Record<string, string>; body: string } {
  const nonce = randomBytes(16).toString('base64');
  const defaults = [
    [COLUMNS_KEY, columns(searchNames)],
    [VIEWS_KEY, savedViews(WORKFLOW_VIEWS)],
  ];
  return {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; script-src 'nonce-${nonce}'`,
    },
    body: `<!doctype html><html lang="en"><title>Temporal</title><script nonce="${nonce}">
for (const [key, values] of ${literal(defaults)}) try {
  const all = JSON.parse(localStorage.getItem(key)) ?? {};
  // A person who deletes the last view keeps an empty list.
  if (all[${literal(namespace)}] === undefined)
    localStorage.setItem(key, JSON.stringify({ ...all, [${literal(namespace)}]: values }));
} catch {}
location.replace(${literal(to)});
</script>\n`,
  };
}
