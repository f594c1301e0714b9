import { createKeyRing, newKey, createVault } from '../../src/secrets/key-ring.ts';

/** The keys of an instance that only these tests have. */
export const testKeyRing = createKeyRing([newKey()]);
export const testVault = createVault(testKeyRing);
