import { z } from 'zod';
import { AUDIT_ACTION_NAMES, AUDIT_ACTORS, type AuditDetails, type AuditEntry } from '@burnish/contract';
import { mapPage } from '../../database/page.ts';
import type { AuditRequest, AuditLog } from '../../database/accounts/audit-log.ts';
import { page } from '../rest/answers.ts';
import { operation } from '../rest/operation.ts';
import { plainText } from '../schemas/fields.ts';
import { asTime, moment } from '../schemas/moment.ts';
import { pageQuery, pageRequest } from '../schemas/paging.ts';

const id = plainText(200);

export const listAuditQuery = pageQuery.extend({
  action: z.enum(AUDIT_ACTION_NAMES).optional().meta({ description: 'Only entries of this action.' }),
  keyId: id.optional().meta({ description: 'Only actions with this key, including dashboard sessions of the key.' }),
  subjectId: id.optional().meta({ description: 'Only actions on this subject.' }),
  since: moment.optional().meta({ description: 'Only entries at this time or later.', ...asTime }),
  until: moment.optional().meta({ description: 'Only entries before this time.', ...asTime }),
});

export const auditEntrySchema = z
  .object({
    seq: z.int().meta({ description: 'Sequence number, which increases with each entry.' }),
    at: z.iso.datetime(),
    actor: z.enum(AUDIT_ACTORS).meta({
      description:
        "`key`: a request with an API key. `session`: the dashboard. `workflow`: a caller of a Nexus endpoint. `operator`: the terminal or the operator's key. `burnish`: the instance itself.",
    }),
    keyId: z.string().nullable().meta({ description: 'Id of the API key of the request or session.' }),
    keyName: z
      .string()
      .nullable()
      .meta({ description: 'Name of that key. Null after its deletion.', example: 'Production' }),
    address: z.string().nullable().meta({ description: 'IP address of the request.', example: '203.0.113.7' }),
    action: z.enum(AUDIT_ACTION_NAMES),
    subjectId: z
      .string()
      .nullable()
      .meta({ description: 'Subject of the action: an id, or the reference of a top-up.' }),
    details: z
      // Generators of clients make no type of a choice with null in it.
      .record(z.string(), z.unknown())
      .meta({
        description: 'Details of the action, without secrets: texts, numbers, lists of texts, true, false, null.',
      }),
  })
  .meta({ id: 'AuditEntry' });

export const representEntry = (entry: AuditEntry): z.input<typeof auditEntrySchema> => ({
  ...entry,
  details: Object.fromEntries(
    Object.entries(entry.details).map(([name, value]) => [name, isList(value) ? [...value] : value]),
  ),
});

const isList = (value: AuditDetails[string]): value is readonly string[] => Array.isArray(value);

/** Converts a query to a request to the audit log. */
export function auditRequest(query: z.output<typeof listAuditQuery>): AuditRequest {
  const { action, keyId, subjectId, since, until, ...paging } = query;
  return { ...pageRequest(paging), action, keyId, subjectId, since, until };
}

/** `/v1/audit`: the audit log of the account. */
export const auditOperations = [
  operation({
    operationId: 'listAuditEntries',
    scope: 'admin',
    method: 'get',
    path: '/v1/audit',
    tag: 'Account',
    summary: 'List actions on the account, newest first',
    description: 'The log is append-only and contains no secrets.',
    query: listAuditQuery,
    answer: page(auditEntrySchema),
    handle: async ({ caller, query }, { audit }: { audit: AuditLog }) =>
      mapPage(await audit.list(caller.account.id, auditRequest(query)), representEntry),
  }),
];
