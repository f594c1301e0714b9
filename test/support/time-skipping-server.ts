import { mavenProgram } from './maven-program.ts';

/**
 * Provides Temporal's time-skipping test server (38 MB). Maven comes first and not the SDK's own download, which is not pinned.
 * @returns the path of a program that takes a port
 * @throws Error that says what to install
 */
export function timeSkippingServer(): Promise<string> {
  return mavenProgram({
    title: "Temporal's time-skipping test server",
    groupId: 'io.temporal',
    artifactId: 'temporal-test-server',
    version: '1.38.0',
    mainClass: 'io.temporal.testserver.TestServer',
    // The SDK gives a server five seconds to come up: start with what makes a JVM start fast.
    options: ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto', '-Xmx512m'],
  });
}
