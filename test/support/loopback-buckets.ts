import { parseAllowedHosts } from '../../src/net/allowed-hosts.ts';
import { createSafeFetch } from '../../src/net/safe-fetch.ts';
import { accountBucketOpener } from '../../src/runtime/open-account-buckets.ts';

/** Opens buckets of accounts at services on this machine, as an instance whose operator allows 127.0.0.1. */
export const loopbackBuckets = accountBucketOpener(
  createSafeFetch({ allowedPrivateHosts: parseAllowedHosts('127.0.0.1') }),
);
