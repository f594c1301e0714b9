import { timeSkippingServer } from '../support/time-skipping-server.ts';

/** The same code with the test server of this checkout, which the SDK would download at its first test. */
export const withTimeSkippingServer = (code: string): string =>
  code.replace(
    'createTimeSkipping()',
    `createTimeSkipping({ server: { executable: { type: 'existing-path', path: '${timeSkippingServer}' } } })`,
  );
