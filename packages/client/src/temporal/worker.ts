import { fileURLToPath } from 'node:url';
import type { BundleOptions, BundlerPlugin, WorkerOptions, WorkerPlugin } from '@temporalio/worker';
import type { TokenActivities } from './workflow.ts';

/* The public interface of `@burnish/client/worker`: what the worker of a caller needs. */

export interface BurnishPluginOptions {
  /** Token of the endpoint, or what finds it at each operation: for several endpoints, and for one whose token is rotated */
  token: string | ((endpoint: string) => string | Promise<string>);
}

/** In the package as in the sources, the interceptor is beside this module. */
const here = import.meta.url;
const interceptor = fileURLToPath(new URL(here.endsWith('.ts') ? 'workflow.ts' : 'workflow.cjs', here));

/**
 * Lets the workflows of a worker call Burnish over Nexus: adds the token of the endpoint to each operation. Give it to `Worker.create`, and
 * to `bundleWorkflowCode` for a bundle that is built before.
 */
export class BurnishPlugin implements WorkerPlugin, BundlerPlugin {
  readonly name = 'burnish';
  readonly #activities: TokenActivities;

  /** @throws TypeError without a token */
  constructor({ token }: BurnishPluginOptions) {
    if (!token) throw new TypeError('The token of the Nexus endpoint is missing. Set `token` to it.');
    this.#activities = {
      async readBurnishToken(endpoint) {
        const found = typeof token === 'string' ? token : await token(endpoint);
        if (!found) throw new Error(`The token of the Nexus endpoint ${endpoint} is missing.`);
        return found;
      },
    };
  }

  configureWorker(options: WorkerOptions): WorkerOptions {
    return { ...options, activities: { ...options.activities, ...this.#activities } };
  }

  configureBundler(options: BundleOptions): BundleOptions {
    return {
      ...options,
      workflowInterceptorModules: [...(options.workflowInterceptorModules ?? []), interceptor],
    };
  }
}
