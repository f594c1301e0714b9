import { modelsTag, type ModelSet } from './neural/model-set.ts';

/** The engine version of the contract (docs/contract.md), and the revision of our pipeline: raised with any change of pixels. */
export const ENGINE_MAJOR = 12;
export const PIPELINE_REVISION = 5;

export const ENGINE_VERSION = `${ENGINE_MAJOR}.${PIPELINE_REVISION}`;

/**
 * The version of an engine with its networks, such as `12.5-fine-1d525687`: part of the key under which results are reused, so that
 * the result of a fallback never counts as that of the better network.
 */
export const engineVersionWith = (models: ModelSet): string => `${ENGINE_VERSION}-${modelsTag(models)}`;
