/*
 * Modules that all workflows of a worker share. They are pure, so a worker evaluates them once, and not again for each
 * workflow. Add each module of `domain` that workflow code imports. Webpack would drop an import without names of the contract, which
 * has no side effects.
 */
export * as contract from '@burnish/contract';
import '../domain/bad-file.ts';
import '../domain/batch/batch-rules.ts';
import '../domain/enhancement/large-work.ts';
import '../domain/enhancement/new-enhancement.ts';
import '../domain/enhancement/order-rules.ts';
import '../domain/enhancement/paid-work.ts';
import '../domain/files/object-keys.ts';
import '../domain/temporal/operation-interface.ts';
import '../domain/temporal/retry-policies.ts';
import '../domain/temporal/search-attributes.ts';
import '../domain/temporal/timeouts.ts';
import '../domain/temporal/trace-header.ts';
import '../domain/temporal/unsealed.ts';
import '../domain/temporal/waits.ts';
import '../domain/temporal/workflow-interface.ts';
import '../domain/upload/filenames.ts';
import '../domain/upload/new-upload.ts';
