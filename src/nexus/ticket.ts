import { z } from 'zod';
import { type NexusEndpoint, Failure } from '@burnish/contract';
import type { AwaitedEnhancement } from '../domain/temporal/operation-interface.ts';
import type { Sealer } from '../secrets/key-ring.ts';

/** Longer than an operation can wait: for an approval, for credits and for its destination. Milliseconds */
const TICKET_MS = 45 * 86_400_000;
/** End of tickets from before 1.0.0, which have none. */
const OLD_TICKETS_END_MS = Date.parse('2027-03-01T00:00:00Z');

const bodySchema = z.strictObject({
  endpoint: z.string(),
  accountId: z.string(),
  /** What `sinceOf` said of the endpoint; absent from before 1.0.0 */
  since: z.string().optional(),
  /** Milliseconds since the epoch */
  expiresAtMs: z.number().default(OLD_TICKETS_END_MS),
});
export type TicketBody = z.infer<typeof bodySchema>;

/** Changes when the endpoint is made again, and when a token of it ends at once. */
const sinceOf = ({ ticketsSince, createdAt }: NexusEndpoint): string => ticketsSince ?? createdAt;

/**
 * Tickets prove that this instance started the workflow of an operation, for one enhancement. Payloads of operations are
 * plain, so that any program with access to the namespace could otherwise read results of others. A ticket ends with the token that
 * was ended at once, with its endpoint, and after `TICKET_MS`.
 * @param now milliseconds since the epoch
 */
export function createTickets(sealer: Sealer, now: () => number = Date.now) {
  const bound = ({ uploadId, enhancementId }: Omit<AwaitedEnhancement, 'ticket'>): string =>
    `${uploadId}/${enhancementId}`;
  return {
    issue(subject: Omit<AwaitedEnhancement, 'ticket'>, endpoint: NexusEndpoint): AwaitedEnhancement {
      const { name, accountId } = endpoint;
      const body: TicketBody = { endpoint: name, accountId, since: sinceOf(endpoint), expiresAtMs: now() + TICKET_MS };
      const sealed = sealer.seal(Buffer.from(JSON.stringify(body)), bound(subject)).toString('base64url');
      return { ...subject, ticket: `${sealer.keyId}.${sealed}` };
    },

    /** @throws Failure FORBIDDEN for a ticket of another instance, or for another enhancement */
    open(awaited: AwaitedEnhancement): TicketBody {
      const [keyId = '', sealed = ''] = awaited.ticket.split('.');
      const body = sealer.open(keyId, Buffer.from(sealed, 'base64url'), bound(awaited));
      if (body === undefined) throw refused('The ticket of this operation is not from this instance.');
      return bodySchema.parse(JSON.parse(body.toString()));
    },

    /**
     * @param endpoint of the ticket, as it is now; undefined where there is none
     * @throws Failure FORBIDDEN for a ticket that has ended
     */
    assertGood({ accountId, since, expiresAtMs }: TicketBody, endpoint: NexusEndpoint | undefined): void {
      const isOfEndpoint =
        endpoint?.accountId === accountId &&
        (since === undefined ? endpoint.ticketsSince === null : since === sinceOf(endpoint));
      if (!isOfEndpoint || now() >= expiresAtMs)
        throw refused('The ticket of this operation has ended, with its token or its endpoint.');
    },
  };
}

const refused = (detail: string): Failure =>
  new Failure('FORBIDDEN', { detail: `${detail} Call the operation through its endpoint.` });

export type Tickets = ReturnType<typeof createTickets>;
