import { createKeyRing, newKey } from '../../src/secrets/key-ring.ts';
import { createVault } from '../../src/secrets/vault.ts';

/** The keys of an instance that only these tests have. */
export const testKeyRing = createKeyRing([newKey()]);
export const testVault = createVault(testKeyRing);
