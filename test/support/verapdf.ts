import { spawnSync } from 'node:child_process';
import { mavenProgram } from './maven-program.ts';
import { HAS_ALL } from './needs.ts';

/** Provides veraPDF, the reference validator of PDF/A. @throws Error that says what to install */
export function veraPdf(): Promise<string> {
  return mavenProgram({
    title: 'The PDF/A validator veraPDF',
    groupId: 'org.verapdf.apps',
    artifactId: 'greenfield-apps',
    version: VERSION,
    mainClass: 'org.verapdf.apps.GreenfieldCliWrapper',
    options: ['-Xmx1g'],
  });
}

const VERSION = '1.28.2';

/** What a file claims to be, and the rules that it breaks. */
export interface Conformance {
  /** Such as `PDF/A-1B validation profile` */
  profile: string;
  /** Clause and test number of each rule that fails */
  broken: string[];
}

/**
 * Says what a machine lacks for tests with veraPDF.
 * @returns undefined where it can be had
 * @throws Error where TEST_ALL_PROGRAMS is set, and it cannot
 */
export async function lackOfVeraPdf(): Promise<string | undefined> {
  try {
    await veraPdf();
    return undefined;
  } catch (error) {
    if (HAS_ALL) throw error;
    return 'veraPDF, by Java 11 and Maven';
  }
}

/** @param program the path of veraPDF */
export function conformanceOf(program: string, path: string): Conformance {
  return conformancesOf(program, [path])[0]!;
}

/** Validates files by what each claims to be, in one process. */
export function conformancesOf(program: string, paths: readonly string[]): Conformance[] {
  const { stdout } = spawnSync(program, ['--format', 'xml', '--flavour', '0', ...paths], {
    encoding: 'utf8',
    maxBuffer: 100_000_000,
  });
  const reports = stdout.split('<job>').slice(1);
  return paths.map((path, k) => conformanceIn(reports[k] ?? '', path));
}

function conformanceIn(report: string, path: string): Conformance {
  const [, profile] = /profileName="([^"]+)"/.exec(report) ?? [];
  if (profile === undefined) throw new Error(`veraPDF does not report on ${path}: ${report.slice(0, 500)}`);
  const rules = report.matchAll(/<rule [^>]*clause="([^"]+)"[^>]*testNumber="([^"]+)"[^>]*status="failed"/g);
  return { profile, broken: [...new Set([...rules].map(([, clause, test]) => `${clause}-${test}`))].sort() };
}
