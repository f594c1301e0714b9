import { privateNetwork } from './url-policy.ts';
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Failure } from '@burnish/contract';
import { isPublicAddress } from './address-policy.ts';

export type Resolve = (hostname: string) => Promise<string[]>;

/** The resolver of the machine: hosts file, then DNS. */
export const systemResolve: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);

/**
 * A lookup for `net.connect`, which connects to exactly the returned addresses. Connections therefore use only
 * checked addresses, without a second DNS query. One forbidden address in the DNS response refuses the name.
 * @param allowPrivate true for a host that the operator allows
 */
export function checkedLookup(resolve: Resolve, allowPrivate: boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (answers) => {
        const addresses = answers.map((address) => ({ address, family: isIP(address) }));
        const [first] = addresses;
        if (first === undefined) {
          callback(Object.assign(new Error('no addresses'), { code: 'ENOTFOUND' }), []);
        } else if (!allowPrivate && !answers.every(isPublicAddress)) {
          callback(new Failure('URL_NOT_ALLOWED', { detail: privateNetwork(hostname) }), []);
        } else if (options.all === true) {
          callback(null, addresses);
        } else {
          callback(null, first.address, first.family);
        }
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}
