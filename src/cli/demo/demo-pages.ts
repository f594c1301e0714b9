import { spawn } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Progress } from '../enhance/enhance-progress.ts';

export interface PagesOptions {
  /** URL of the instance */
  baseUrl: string;
  /** Makes a link that signs in at the dashboard once */
  signInLink?: (() => Promise<string>) | undefined;
  /** The instance ends with the demo */
  isEnding?: boolean | undefined;
  /** A person sees the output at a terminal */
  interactive?: boolean | undefined;
  /** Folder of the results */
  folder: string;
  environment?: NodeJS.ProcessEnv | undefined;
}

/**
 * Names the dashboard's pages that compare uploads before and after. For a person at a terminal, it signs in with the first
 * of them, and opens it where there is a browser.
 */
export async function tellPages(
  uploads: readonly { name: string; uploadId: string }[],
  { baseUrl, signInLink, isEnding = false, interactive = false, folder, environment = process.env }: PagesOptions,
  progress: Progress,
): Promise<void> {
  // A token in an output that is stored, such as a log of CI, would sign in its reader.
  const link = interactive && signInLink !== undefined ? await signInLink().catch(() => undefined) : undefined;
  const pages = uploads.map(({ name, uploadId }, n) => {
    const url = new URL(`/uploads/${uploadId}`, link ?? baseUrl);
    if (n === 0 && link !== undefined) url.hash = new URL(link).hash;
    return { name, url: url.href };
  });
  progress.line(
    `${isEnding ? 'Run `npx burnish up` to open the dashboard. Its' : "The dashboard's"} pages compare before and after:`,
  );
  for (const { name, url } of pages) progress.line(`  ${name}: ${url}`);
  if (link !== undefined) progress.line('The first link signs you in, once within 15 minutes.');
  if (interactive && pages.length > 0 && (await openPage(pages[0]!.url, folder, environment)))
    progress.line('A browser opens it.');
  progress.line('');
}

/**
 * Opens a URL in the browser of the desktop, if there is one. Other users of the machine can read the arguments of a process, so
 * the URL with its token is in a private file that redirects there.
 * @returns whether a program has started
 */
async function openPage(url: string, folder: string, environment: NodeJS.ProcessEnv): Promise<boolean> {
  const program = programOf(environment);
  if (program === undefined) return false;
  const path = resolve(folder, 'compare.html');
  try {
    await rm(path, { force: true });
    await writeFile(path, redirectTo(url), { mode: 0o600, flag: 'wx' });
  } catch {
    return false;
  }
  return new Promise((settle) => {
    const child = spawn(program, [path], { detached: true, stdio: 'ignore', env: environment });
    child.once('error', () => settle(false));
    child.once('spawn', () => {
      child.unref();
      settle(true);
    });
  });
}

function programOf({ DISPLAY, WAYLAND_DISPLAY }: NodeJS.ProcessEnv): string | undefined {
  if (process.platform === 'darwin') return 'open';
  return process.platform === 'linux' && (DISPLAY || WAYLAND_DISPLAY) ? 'xdg-open' : undefined;
}

const redirectTo = (url: string): string => `<!doctype html>
<meta charset="utf-8">
<title>Burnish</title>
<meta http-equiv="refresh" content="0; url=${url}">
<a href="${url}">Compare before and after</a>
`;
