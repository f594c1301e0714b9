export { lifecycle as upload } from './lifecycle.ts';
export { delivery } from './delivery/delivery.ts';
export { enhanceOperation } from './operation/enhance-operation.ts';
export { batch } from './batch/batch.ts';
export { progress } from './progress.ts';
