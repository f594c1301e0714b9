/*
 * Modules that all workflows of a worker share. They are pure, so a worker evaluates them once, and not again for each
 * workflow. Add each module of `domain` that workflow code imports, and the vocabulary of the engine.
 */
import '../domain/accounts/account.ts';
import '../domain/accounts/credits.ts';
import '../domain/bad-file.ts';
import '../domain/batch/batch.ts';
import '../domain/enhancement/commands.ts';
import '../domain/enhancement/destination.ts';
import '../domain/enhancement/enhancement.ts';
import '../domain/enhancement/large-work.ts';
import '../domain/enhancement/order-rules.ts';
import '../domain/enhancement/paid-work.ts';
import '../domain/enhancement/prices.ts';
import '../domain/events/events.ts';
import '../domain/explain-failure.ts';
import '../domain/files/object-keys.ts';
import '../domain/machinery.ts';
import '../domain/name-field.ts';
import '../domain/temporal/operation-interface.ts';
import '../domain/temporal/retry-policies.ts';
import '../domain/temporal/timeouts.ts';
import '../domain/temporal/trace-header.ts';
import '../domain/temporal/unsealed.ts';
import '../domain/temporal/waits.ts';
import '../domain/temporal/workflow-interface.ts';
import '../domain/upload/filenames.ts';
import '../domain/upload/upload.ts';
import '@burnish/engine/contract';
