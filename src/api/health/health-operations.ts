import { z } from 'zod';
import { explainFailure } from '@burnish/contract';
import { sendJson, ok } from '../rest/answers.ts';
import { openOperation, operation } from '../rest/operation.ts';
import type { Admission } from '../http/admission.ts';
import { PARTS, type Part } from '../trouble/unavailable.ts';

export interface Readiness {
  ready: boolean;
  /** One sentence for each missing part */
  problems: string[];
  /** Name of the decoders' sandbox in this process; absent while it starts */
  sandbox?: string;
}

interface HealthDeps {
  ready: () => Promise<Readiness>;
  /** One sentence while this process cannot serve; absent if it has no part that can end without it */
  failing?: (() => string | undefined) | undefined;
  /** Absent in a process without a gateway, which receives no uploads */
  admission?: Pick<Admission, 'away'> | undefined;
  /** Aborted when the process begins to close */
  closing?: AbortSignal;
}

/** Adds the part that recent uploads failed at. A part may answer every check, and yet accept no upload. */
function withRefusals(readiness: Readiness, away: Part | undefined): Readiness {
  if (away === undefined) return readiness;
  const { detail } = explainFailure('UNAVAILABLE', PARTS[away].detail);
  return { ...readiness, ready: false, problems: [...readiness.problems, `${detail} Uploads are refused.`] };
}

const tag = 'Health';
const healthSchema = z.object({ status: z.literal('ok') }).meta({ id: 'Health' });
const failingSchema = z.object({ status: z.literal('failing'), problem: z.string() }).meta({ id: 'FailingHealth' });
const readinessSchema = z
  .object({ ready: z.boolean(), problems: z.array(z.string()), sandbox: z.string().optional() })
  .meta({ id: 'Readiness' });
const json = (description: string, schema: z.ZodType) => ({ description, content: { 'application/json': { schema } } });

export const healthOperations = [
  openOperation({
    operationId: 'getHealth',
    method: 'get',
    path: '/healthz',
    tag,
    summary: 'Check that the process responds and its embedded database runs',
    description: 'For liveness probes. Parts outside of the process do not count.',
    responses: {
      '200': json('The process responds.', healthSchema),
      '503': json('The embedded database does not run: it is being opened again.', failingSchema),
    },
    refusals: { 405: 'The URL accepts only GET.' },
    handle(_req, res, { failing }: HealthDeps) {
      const problem = failing?.();
      if (problem === undefined) sendJson(res, { status: 'ok' });
      else sendJson(res, { status: 'failing', problem }, 503);
    },
  }),

  openOperation({
    operationId: 'getReadiness',
    method: 'get',
    path: '/readyz',
    tag,
    summary: 'Check that the instance serves requests and its workers poll',
    description: 'For readiness probes. `problems` has one sentence for each missing part.',
    responses: {
      '200': json('Ready.', readinessSchema),
      '503': json('Not ready; `problems` gives the reasons.', readinessSchema),
    },
    refusals: { 405: 'The URL accepts only GET.' },
    async handle(_req, res, { ready, closing, admission }: HealthDeps) {
      const closed: Readiness = { ready: false, problems: ['The gateway is closing.'] };
      const readiness = closing?.aborted === true ? closed : withRefusals(await ready(), admission?.away());
      sendJson(res, readiness, readiness.ready ? 200 : 503);
    },
  }),
];

export const versionSchema = z
  .object({
    version: z.string().meta({ description: 'Version of Burnish.', example: '0.1.0' }),
    engineVersion: z.string().meta({
      description: 'Version of the engine. The same version returns the same result for the same file and parameters.',
      example: '12.1',
    }),
  })
  .meta({ id: 'Version', description: 'Versions of this instance.' });

/** `/v1/version` */
export const versionOperations = [
  operation({
    operationId: 'getVersion',
    graphql: { field: 'version', alwaysThere: true },
    scope: 'read',
    method: 'get',
    path: '/v1/version',
    tag: 'Account',
    summary: 'Read the versions of Burnish and of its engine',
    description: 'Compare `engineVersion` to find results of an older engine.',
    answer: ok('The versions.', versionSchema),
    handle: (_request, { version, engineVersion }: z.infer<typeof versionSchema>) => ({ version, engineVersion }),
  }),
];
