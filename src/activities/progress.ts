export interface StoresProofDeps {
  /** Writes to the database. @returns sentences about what does not work */
  probeDatabase: () => Promise<string[]>;
  /** Writes, reads and deletes an object. @returns sentences about what does not work */
  probeStorage: () => Promise<string[]>;
}

/** The stores' part of the proof that work moves. These are the probes of the readiness of a worker, which answer within seconds. */
export function createStoresProof({ probeDatabase, probeStorage }: StoresProofDeps) {
  return {
    proveStores: async (): Promise<string[]> => (await Promise.all([probeDatabase(), probeStorage()])).flat(),
  };
}
