/** The engine version of the contract (docs/contract.md), and the revision of our pipeline: raised with any change of pixels. */
export const ENGINE_MAJOR = 12;
export const PIPELINE_REVISION = 1;

/** Part of the key under which results are reused. */
export const ENGINE_VERSION = `${ENGINE_MAJOR}.${PIPELINE_REVISION}`;
