import type { Vault } from '../secrets/key-ring.ts';
import type { SealedAddress } from './schema/column-types.ts';

/** The receiver of events, as its columns hold it. */
export interface SealedReceiver {
  url: SealedAddress;
  /** Host and port, by which the receivers of an account are told apart */
  host: string;
}

/** Binds an address to its account, as statements copy it from an upload or an endpoint to deliveries. */
export const addressAad = (accountId: string): string => `addresses/${accountId}`;

export type SecretAddresses = ReturnType<typeof createSecretAddresses>;

/** URLs of callers, which may contain a secret in any part. The database has them encrypted, and their host beside them. */
export function createSecretAddresses(vault: Vault) {
  const seal = (accountId: string, url: string): SealedAddress =>
    vault.seal(url, addressAad(accountId)) as SealedAddress;
  return {
    seal,

    sealReceiver: (accountId: string, url: string): SealedReceiver => ({
      url: seal(accountId, url),
      host: new URL(url).host,
    }),

    /** A record with its address as the caller gave it. @throws what `Vault.open` throws */
    openIn<Row extends { accountId: string }, Name extends keyof Row>(
      row: Row,
      name: Name,
    ): Omit<Row, Name> & Record<Name, string | Extract<Row[Name], null>> {
      const sealed = row[name] as SealedAddress | null;
      const url = sealed === null ? null : vault.open(sealed, addressAad(row.accountId));
      return { ...row, [name]: url } as never;
    },
  };
}
