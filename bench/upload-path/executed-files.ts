import { existsSync } from 'node:fs';
import { type Debugger, type Profiler, Session } from 'node:inspector/promises';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { isAbsolute, join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { repositoryRoot } from '../../test/support/repository.ts';

/** Milliseconds without work: more than two rounds of the slowest timer, which fires every 15 seconds. */
const IDLE_MS = 40_000;
/** Functions that compilers add to a file (esbuild and SWC). */
const COMPILER_HELPER = /^(__name|_define_property|_object_spread(_props)?|_object_without_properties(_loose)?)$/;

/**
 * The files of src/ with a function that runs during `work`, sorted, relative to the root. Code of a module itself does not
 * count, nor do other threads and processes. What timers and polling call is no part of the work: a function counts if the work calls it
 * more often than a longer time without work does.
 */
export async function executedFiles(work: () => Promise<void>): Promise<string[]> {
  const session = new Session();
  session.connect();
  const scripts = new Map<string, Debugger.ScriptParsedEventDataType>();
  session.on('Debugger.scriptParsed', ({ params }) => scripts.set(params.scriptId, params));
  try {
    // Enabling it reports the scripts that are loaded already.
    await session.post('Debugger.enable');
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await delay(IDLE_MS);
    const idle = executedFunctions(await session.post('Profiler.takePreciseCoverage'));
    const idleCalls = new Map(idle.map((called) => [keyOf(called), called.count]));
    await work();
    const executed = executedFunctions(await session.post('Profiler.takePreciseCoverage'));
    const files = new Set<string>();
    const locators = new Map<string, Locator>();
    for (const called of executed) {
      const { scriptId, url, name, offset, count } = called;
      if (count <= (idleCalls.get(keyOf(called)) ?? 0) || COMPILER_HELPER.test(name)) continue;
      if (!/\/workflow-bundle-\w+\.js$/.test(url)) {
        // The function that starts at 0 is the module itself.
        if (url.startsWith('file:') && offset > 0) files.add(fileURLToPath(url.replace(/\?.*/, '')));
        continue;
      }
      // A module of the bundle is a function that is named after its file.
      if (/\.[jt]s$/.test(name)) continue;
      const locate = locators.get(scriptId) ?? (await bundleLocator(session, scripts.get(scriptId)));
      locators.set(scriptId, locate);
      const file = locate(offset);
      if (file !== undefined) files.add(file);
    }
    return [...files]
      .map((file) => relative(repositoryRoot, file))
      .filter((file) => file.startsWith('src/') && existsSync(join(repositoryRoot, file)))
      .toSorted();
  } finally {
    session.disconnect();
  }
}

interface CalledFunction {
  scriptId: string;
  url: string;
  name: string;
  /** Of its first character in the script */
  offset: number;
  /** How often it was called */
  count: number;
}

const keyOf = ({ scriptId, offset }: CalledFunction): string => `${scriptId}:${offset}`;

function executedFunctions({ result }: Profiler.TakePreciseCoverageReturnType): CalledFunction[] {
  return result.flatMap(({ scriptId, url, functions }) =>
    functions
      .filter(({ ranges }) => ranges[0]!.count > 0)
      .map(({ functionName: name, ranges }) => {
        const { startOffset: offset, count } = ranges[0]!;
        return { scriptId, url, name, offset, count };
      }),
  );
}

type Locator = (offset: number) => string | undefined;

/** Finds the original file of an offset in a bundle, by the source map that the bundle holds. */
async function bundleLocator(
  session: Session,
  script: Debugger.ScriptParsedEventDataType | undefined,
): Promise<Locator> {
  if (script?.sourceMapURL === undefined) return () => undefined;
  const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId: script.scriptId });
  const [, base64 = ''] = script.sourceMapURL.split('base64,');
  const map = new SourceMap(JSON.parse(Buffer.from(base64, 'base64').toString()) as SourceMapPayload);
  const lineStarts = [0, ...[...scriptSource.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (offset) => {
    // A getter that webpack writes for an export.
    if (/^\(\) => \(\/\* (binding|reexport)/.test(scriptSource.slice(offset, offset + 30))) return undefined;
    const line = lineStarts.findLastIndex((start) => start <= offset);
    const entry = map.findEntry(line, offset - lineStarts[line]!);
    // Typed as always there, but code of webpack itself has no source.
    const source = (entry as { originalSource?: string }).originalSource;
    if (source === undefined) return undefined;
    const path = source.replace(/^(webpack|file):\/\/(?=\/)/, '');
    return isAbsolute(path) ? path : join(repositoryRoot, path.replace(/^webpack:\/\/[^/]*\//, ''));
  };
}
