import { createKeyRing, newKey, createVault } from '../../src/secrets/key-ring.ts';

/** Keys for these tests only. */
export const testKeyRing = createKeyRing([newKey()]);
export const testVault = createVault(testKeyRing);
