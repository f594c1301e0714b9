import { mavenProgram } from './maven-program.ts';

/**
 * Provides Temporal's time-skipping test server (38 MB). It comes from Maven rather than from the SDK's own download, which is
 * not pinned.
 * @returns the path of a program that takes a port
 * @throws Error with the program to install
 */
export function timeSkippingServer(): Promise<string> {
  return mavenProgram({
    title: "Temporal's time-skipping test server",
    groupId: 'io.temporal',
    artifactId: 'temporal-test-server',
    version: '1.38.0',
    mainClass: 'io.temporal.testserver.TestServer',
    // The SDK waits only five seconds for the server, so these options speed up the start of the JVM.
    options: ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto', '-Xmx512m'],
  });
}
