import { existsSync } from 'node:fs';
import { type Debugger, type Profiler, Session } from 'node:inspector/promises';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { isAbsolute, join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { repositoryRoot } from '../../test/support/repository.ts';

/** Idle time, milliseconds: more than two rounds of the slowest timer, which fires every 15 seconds. */
const IDLE_MS = 40_000;
/** Functions that compilers add to a file (esbuild and SWC). */
const COMPILER_HELPER = /^(__name|_define_property|_object_spread(_props)?|_object_without_properties(_loose)?)$/;
/** Code that starts one of webpack's getters of exports, or the callback in SWC's `_object_spread`. */
const GENERATED = /^\(\) => \(\/\* (binding|reexport)|^function\(key\) \{\s+_define_property\(/;

/**
 * Lists the files of src/ and of packages with a function that runs during `work`, sorted, relative to the root. Module-level code does not
 * count, and other threads and processes do not either. Calls by timers and polling are excluded: a function counts if `work`
 * calls it more often than a longer idle period.
 */
export async function executedFiles(work: () => Promise<void>): Promise<string[]> {
  const session = new Session();
  session.connect();
  const scripts = new Map<string, Debugger.ScriptParsedEventDataType>();
  session.on('Debugger.scriptParsed', ({ params }) => scripts.set(params.scriptId, params));
  try {
    // Enabling the debugger reports the scripts that are already loaded.
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
        // The function at offset 0 is the module itself.
        if (url.startsWith('file:') && offset > 0) files.add(fileURLToPath(url.replace(/\?.*/, '')));
        continue;
      }
      // A module of the bundle is a function with the name of its file.
      if (/\.[jt]s$/.test(name)) continue;
      const locate = locators.get(scriptId) ?? (await bundleLocator(session, scripts.get(scriptId)));
      locators.set(scriptId, locate);
      const file = locate(offset);
      if (file !== undefined) files.add(file);
    }
    return [...files]
      .map((file) => relative(repositoryRoot, file))
      .filter((file) => /^(src|packages\/\w+\/src)\//.test(file) && existsSync(join(repositoryRoot, file)))
      .toSorted();
  } finally {
    session.disconnect();
  }
}

interface CalledFunction {
  scriptId: string;
  url: string;
  name: string;
  /** Offset of its first character in the script */
  offset: number;
  /** Number of calls */
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

/** Finds the original file of an offset in a bundle, with the bundle's source map. */
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
    if (GENERATED.test(scriptSource.slice(offset, offset + 80))) return undefined;
    const line = lineStarts.findLastIndex((start) => start <= offset);
    const entry = map.findEntry(line, offset - lineStarts[line]!);
    // The type declares it as present, but webpack's own code has no source.
    const source = (entry as { originalSource?: string }).originalSource;
    if (source === undefined) return undefined;
    const path = source.replace(/^(webpack|file):\/\/(?=\/)/, '');
    return isAbsolute(path) ? path : join(repositoryRoot, path.replace(/^webpack:\/\/[^/]*\//, ''));
  };
}
