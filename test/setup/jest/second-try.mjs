import { jest } from '@jest/globals';

// Thousands of tests on real servers share a machine that is not ours. The end of the output names each second try.
if (process.env['CI'] !== undefined) jest.retryTimes(1, { logErrorsBeforeRetry: true });
