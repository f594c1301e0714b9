import { afterAll, beforeAll } from '@jest/globals';
import { openObjectStore } from '../../src/storage/open-object-store.ts';
import { startS3Server, type S3Server } from '../support/s3-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { objectStoreContract } from './object-store-contract.ts';

let server: S3Server;
beforeAll(async () => {
  server = await startS3Server();
  Object.assign(process.env, server.env);
});
afterAll(async () => await server?.[Symbol.asyncDispose]());

objectStoreContract('S3', async () => {
  const scratch = await temporaryFolder();
  const store = await openObjectStore({
    storage: `s3://${await server.createBucket()}/some/where`,
    s3: { publicUrl: null, pathStyle: null },
    scratchDir: scratch.path,
    environment: process.env,
  });
  return { store, close: () => scratch[Symbol.asyncDispose]() };
});
