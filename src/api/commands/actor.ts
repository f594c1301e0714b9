import type { AuditActor } from '../../domain/accounts/audit.ts';
import type { Caller } from './command-types.ts';

/** A caller as the audit log names it. */
export function actorOf({ keyId, address, viaSession = false }: Omit<Caller, 'account'>): AuditActor {
  return { actor: viaSession ? 'session' : 'key', keyId, address };
}
