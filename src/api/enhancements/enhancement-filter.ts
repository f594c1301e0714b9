import { isId } from '@burnish/contract';
import * as enums from '../schemas/enums.ts';
import { recordId } from '../schemas/fields.ts';
import { listFilter, pageQuery } from '../schemas/paging.ts';

/** The query of `GET /v1/enhancements`. */
export const listEnhancementsQuery = pageQuery.extend({
  uploadId: recordId('upl')
    .refine((text) => isId('upl', text), 'expected the id of an upload')
    .optional()
    .meta({ description: 'Only enhancements of this upload.' }),
  status: enums.enhancementStatus.schema.optional().meta({ description: 'Only enhancements with this status.' }),
  ...listFilter,
});
