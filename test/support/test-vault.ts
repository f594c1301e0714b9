import { createKeyRing, newKey } from '../../src/secrets/key-ring.ts';
import { createVault } from '../../src/secrets/vault.ts';

/** The vault of an instance that only these tests have. */
export const testVault = createVault(createKeyRing([newKey()]));
