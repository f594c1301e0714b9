import { randomBytes } from 'node:crypto';
import { statusAttribute } from '../domain/temporal/workflow-interface.ts';

/** Where the Web UI keeps the columns of its list of workflows, by namespace. */
const STORAGE_KEY = 'namespace-workflow-table-columns';

/**
 * The columns of the list until a person chooses others. The Web UI calls a workflow RUNNING until its upload is deleted, so the status of
 * the upload stands beside it.
 */
const COLUMNS = ['Status', statusAttribute.name, 'Workflow ID', 'Start', 'End'];

/** A page that gives the list its columns, and leads on. @param to a path of the Web UI */
export function uiEntryPage(namespace: string, to: string): { headers: Record<string, string>; body: string } {
  const nonce = randomBytes(16).toString('base64');
  const columns = COLUMNS.map((label) => ({ label, pinned: false }));
  return {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; script-src 'nonce-${nonce}'`,
    },
    body: `<!doctype html><html lang="en"><title>Temporal</title><script nonce="${nonce}">
try {
  const all = JSON.parse(localStorage.getItem(${literal(STORAGE_KEY)})) ?? {};
  if (!all[${literal(namespace)}]?.length)
    localStorage.setItem(${literal(STORAGE_KEY)}, JSON.stringify({ ...all, [${literal(namespace)}]: ${literal(columns)} }));
} catch {}
location.replace(${literal(to)});
</script>\n`,
  };
}

/** A value in a script of a page, which no text of it can end. */
const literal = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');
