import { proxyLocalActivities, type WorkflowInterceptors } from '@temporalio/workflow';
import * as nexus from 'nexus-rpc';
import { TOKEN_HEADER } from '@burnish/contract';
import type { EnhancementOrder } from '../enhancements.ts';
import type { Enhancement, OrderEstimate } from '../types.ts';

/*
 * The public interface of `@burnish/client/workflow`: what a workflow needs to call Burnish over Nexus. It runs in the sandbox of
 * workflows.
 */

/** Input of the operation `enhance`. */
export interface EnhanceInput {
  /** `data` is a file of at most 32 kB as base64 */
  source: { url: string } | { bucket: string; key: string } | { data: string } | { uploadId: string };
  enhancements: [EnhancementOrder];
  filename?: string;
  password?: string;
  webhookUrl?: string;
  provider?: 'LOCAL' | 'HOSTED' | 'TEST';
  fallback?: 'NONE' | 'LOCAL';
}

/** Input of the operation `estimate`. */
export interface EstimateInput {
  uploadId: string;
  enhancements: EnhancementOrder[];
}

/** The Nexus service `burnish`, for `createNexusServiceClient`. */
export const burnishService = nexus.service('burnish', {
  enhance: nexus.operation<EnhanceInput, Enhancement>(),
  estimate: nexus.operation<EstimateInput, OrderEstimate>(),
  getEnhancement: nexus.operation<{ enhancementId: string }, Enhancement>(),
});

/** Activities of `BurnishPlugin`. Their names are unlikely to be names of the caller. */
export interface TokenActivities {
  /** @returns the token of an endpoint, as the settings of the worker have it */
  readBurnishToken(endpoint: string): Promise<string>;
}

const { readBurnishToken } = proxyLocalActivities<TokenActivities>({ startToCloseTimeout: '10 seconds' });

/** Adds the token of the endpoint to each operation of Burnish without one. Other services never see it. `BurnishPlugin` installs it. */
export const interceptors = (): WorkflowInterceptors => ({
  outbound: [
    {
      async startNexusOperation(call, next) {
        if (call.service !== burnishService.name || TOKEN_HEADER in call.headers) return next(call);
        const token = await readBurnishToken(call.endpoint);
        return next({ ...call, headers: { ...call.headers, [TOKEN_HEADER]: token } });
      },
    },
  ],
});
