import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { hashFiles } from './hash-files.ts';
import { onceACheckout } from './once-a-checkout.ts';
import { onceAProcess } from './once-a-process.ts';
import { repositoryRoot } from './repository.ts';

interface CachedBundle {
  sources: string;
  bundle: WorkflowBundleWithSourceMap;
}

/** Bundles the workflows, or reads the bundle of the same sources from .cache/: webpack takes seconds. */
async function cachedBundle(): Promise<WorkflowBundleWithSourceMap> {
  const path = join(repositoryRoot, '.cache', 'workflow-bundle.json');
  const sources = await hashFiles(repositoryRoot, ['package-lock.json', ...(await sourceFiles())]);
  const cached = await readCached(path);
  if (cached?.sources === sources) return cached.bundle;
  const made = await webpackBundle();
  await writeWhole(path, JSON.stringify({ sources, bundle: made } satisfies CachedBundle));
  return made;
}

function webpackBundle(): Promise<WorkflowBundleWithSourceMap> {
  return bundleWorkflowCode({
    workflowsPath: sourceFile('index.ts'),
    workflowInterceptorModules: [sourceFile('sealed-payloads.ts')],
    failureConverterPath: sourceFile('failure-converter.ts'),
    preloadModules: [sourceFile('shared-modules.ts')],
    logger: new DefaultLogger('ERROR'),
  });
}

async function sourceFiles(): Promise<string[]> {
  const folders = ['src', 'packages/contract/src'].map(async (folder) => {
    const names = await readdir(join(repositoryRoot, folder), { recursive: true });
    return names.filter((name) => name.endsWith('.ts')).map((name) => join(folder, name));
  });
  return (await Promise.all(folders)).flat();
}

const sourceFile = (name: string): string => fileURLToPath(new URL(`../../src/workflows/${name}`, import.meta.url));

async function readCached(path: string): Promise<CachedBundle | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as CachedBundle;
  } catch {
    return undefined;
  }
}

/** Another process reads a whole file or none. */
async function writeWhole(path: string, text: string): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  await writeFile(unfinished, text);
  await rename(unfinished, path);
}

/** The workflows of the sources as a bundle. */
export const workflowBundle: WorkflowBundleWithSourceMap = await onceAProcess('the bundle of the workflows', () =>
  onceACheckout('workflow-bundle', cachedBundle),
);

const INSPECT_RETRIES = /(inspect: \{\s*initialInterval: )'[^']+'/;

/** The same workflows, with retries of the inspection after milliseconds: tests look at its outcome without skipping time. */
export function withQuickInspection(bundle: WorkflowBundleWithSourceMap): WorkflowBundleWithSourceMap {
  if (!INSPECT_RETRIES.test(bundle.code))
    throw new Error('The bundle of the workflows has other retries of the inspection.');
  return { ...bundle, code: bundle.code.replace(INSPECT_RETRIES, "$1'20 ms'") };
}

const HISTORY_LIMIT = /(HISTORY_LIMIT = )1000;/g;

/** The same workflows, which continue as new after 150 events in place of 1,000. */
export function withShortHistory(bundle: WorkflowBundleWithSourceMap): WorkflowBundleWithSourceMap {
  if (!HISTORY_LIMIT.test(bundle.code))
    throw new Error('The bundle of the workflows has another limit of its history.');
  return { ...bundle, code: bundle.code.replace(HISTORY_LIMIT, '$1150;') };
}

const MACHINERY_RETRIES = /(MACHINERY_BACKOFF = \{[^}]*\{[^}]*maximumInterval: )'1 min'/;

/** The same workflows, which retry three times an hour while machinery is away: a day of it has 72 attempts in place of 1,440. */
export function withRareRetries(bundle: WorkflowBundleWithSourceMap): WorkflowBundleWithSourceMap {
  if (!MACHINERY_RETRIES.test(bundle.code))
    throw new Error('The bundle of the workflows has other retries while machinery is away.');
  return { ...bundle, code: bundle.code.replace(MACHINERY_RETRIES, "$1'20 min'") };
}

const CANCEL_TIMER = /activator\.pushCommand\(\{\s*cancelTimer:/g;

/**
 * The same workflows for the time-skipping server, which never repeats a workflow task that cancels a timer that has just fired
 * (sdk-java, issue 3088). Here they leave such a timer alone, and take no notice when it fires.
 */
export function withoutTimerCancellation(bundle: WorkflowBundleWithSourceMap): WorkflowBundleWithSourceMap {
  const found = bundle.code.match(CANCEL_TIMER)?.length;
  if (found !== 2) throw new Error(`The SDK cancels timers in ${found ?? 0} places. Change this function.`);
  return { ...bundle, code: bundle.code.replaceAll(CANCEL_TIMER, 'void ({ cancelTimer:') };
}
