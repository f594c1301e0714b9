export { upload } from './upload.ts';
export { enhancement } from './enhancement.ts';
export { delivery } from './delivery.ts';
