import { fileURLToPath } from 'node:url';
import type { WorkerOptions } from '@temporalio/worker';

const here = import.meta.url;
/** The package contains the vocabulary. From source, webpack finds it by its name here. */
const vocabulary = { '@burnish/contract': fileURLToPath(new URL('../../../contract/src/index.ts', here)) };

/** How a worker bundles workflows that import the client. */
export const bundlerOptions: NonNullable<WorkerOptions['bundlerOptions']> = here.endsWith('.ts')
  ? {
      webpackConfigHook: (config) => ({
        ...config,
        resolve: { ...config.resolve, alias: { ...config.resolve?.alias, ...vocabulary } },
      }),
    }
  : {};
