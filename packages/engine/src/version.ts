import { modelsTag, type ModelSet } from './neural/model-set.ts';

/**
 * The engine version of the contract (docs/contract.md), and the revision of the pipeline, which increases with any
 * change of pixels.
 */
const ENGINE_MAJOR = 12;
const PIPELINE_REVISION = 51;

export const ENGINE_VERSION = `${ENGINE_MAJOR}.${PIPELINE_REVISION}`;

/**
 * Returns the version of an engine with its networks, such as `12.8-fine-1d525687`. It is part of the key for the reuse
 * of results, so that a fallback's result never counts as that of the better network.
 */
export const engineVersionWith = (models: ModelSet): string => `${ENGINE_VERSION}-${modelsTag(models)}`;
