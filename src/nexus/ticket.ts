import { z } from 'zod';
import { Failure } from '../domain/failures.ts';
import type { AwaitedEnhancement } from '../domain/temporal/operation-interface.ts';
import type { Sealer } from '../secrets/key-ring.ts';

const bodySchema = z.strictObject({ endpoint: z.string(), accountId: z.string() });
export type TicketBody = z.infer<typeof bodySchema>;

/**
 * Tickets prove that this instance started the workflow of an operation, for one enhancement. Payloads of operations are
 * plain, so that any program with access to the namespace could otherwise read results of others.
 */
export function createTickets(sealer: Sealer) {
  const bound = ({ uploadId, enhancementId }: Omit<AwaitedEnhancement, 'ticket'>): string =>
    `${uploadId}/${enhancementId}`;
  return {
    issue(subject: Omit<AwaitedEnhancement, 'ticket'>, body: TicketBody): AwaitedEnhancement {
      const sealed = sealer.seal(Buffer.from(JSON.stringify(body)), bound(subject)).toString('base64url');
      return { ...subject, ticket: `${sealer.keyId}.${sealed}` };
    },
    /** @throws Failure FORBIDDEN for a ticket of another instance, or for another enhancement */
    open(awaited: AwaitedEnhancement): TicketBody {
      const [keyId = '', sealed = ''] = awaited.ticket.split('.');
      const body = sealer.open(keyId, Buffer.from(sealed, 'base64url'), bound(awaited));
      if (body === undefined) {
        const detail =
          'The ticket of this operation is not from this instance. Call the operation through its endpoint.';
        throw new Failure('FORBIDDEN', { detail });
      }
      return bodySchema.parse(JSON.parse(body.toString()));
    },
  };
}

export type Tickets = ReturnType<typeof createTickets>;
