import { spawnSync } from 'node:child_process';
import { mavenProgram } from '../support/maven-program.ts';

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

/** @param program the path of veraPDF */
export function conformanceOf(program: string, path: string): Conformance {
  const { stdout } = spawnSync(program, ['--format', 'xml', '--flavour', '0', path], {
    encoding: 'utf8',
    maxBuffer: 100_000_000,
  });
  const [, profile] = /profileName="([^"]+)"/.exec(stdout) ?? [];
  if (profile === undefined) throw new Error(`veraPDF does not report on ${path}: ${stdout.slice(0, 500)}`);
  const rules = stdout.matchAll(/<rule [^>]*clause="([^"]+)"[^>]*testNumber="([^"]+)"[^>]*status="failed"/g);
  return { profile, broken: [...new Set([...rules].map(([, clause, test]) => `${clause}-${test}`))].sort() };
}
