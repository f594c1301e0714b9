import { z } from 'zod';
import { findModels as find } from '../neural/find-models.ts';
import type { ModelSet } from '../neural/model-set.ts';
import type { DoublingTier } from '../neural/plan-doublings.ts';
import { callback, checkInput, path } from './check-input.ts';
import { withEngineErrors } from './engine-errors.ts';

const model = z.strictObject({
  path,
  name: z.string(),
  margin: z.int().min(0),
  tile: z.int().min(1),
  alignment: z.int().min(1),
});

/** The networks that `findModels` returns. */
export const models = z.strictObject({
  fine: path.nullable(),
  fast: model.nullable(),
  restore: model.nullable(),
  detail: model.nullable(),
});

const search = z.strictObject({
  best: z.enum(['fine', 'fast', 'plain']),
  report: callback,
  folder: path.optional(),
});

/**
 * Returns the networks up to a tier. Other methods replace networks that are missing or damaged.
 * @param best the best tier to use
 * @param report receives a sentence about missing or damaged networks
 * @param folder of all networks; by default, that of this package
 * @throws EngineError BAD_USER_INPUT; what `report` throws
 */
export async function findModels(
  best: DoublingTier,
  report: (sentence: string) => void,
  folder?: string,
): Promise<ModelSet> {
  checkInput(search, { best, report, folder });
  return withEngineErrors({ report }, (input) => find(best, input.report, folder));
}
