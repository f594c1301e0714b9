import ipaddr from 'ipaddr.js';

/** Where IPv6 addresses of the public internet lie (IANA IPv6 address space registry). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/** A public address by number that every Azure machine takes for its platform's own services. */
const PLATFORM_SERVICES = '168.63.129.16';

/**
 * Whether an IP address in its usual text form lies on the public internet. Everything else is refused: loopback,
 * private, link-local, carrier-grade NAT, multicast, reserved, documentation and benchmark ranges, and every IPv6
 * form that carries an IPv4 address inside (mapped, compatible, translated, NAT64, 6to4, Teredo, ISATAP), since
 * where it ends is decided by a router that we do not know. Text that is no address is refused as well.
 * Source: IANA special-purpose address registries (RFC 6890), as kept by ipaddr.js.
 */
export function isPublicAddress(text: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) {
    return ipaddr.IPv4.parse(text).range() === 'unicast' && text !== PLATFORM_SERVICES;
  }
  if (!ipaddr.IPv6.isValid(text) || text.includes('%')) return false;
  const address = ipaddr.IPv6.parse(text);
  return address.match(GLOBAL_UNICAST) && address.range() === 'unicast' && !isIsatap(address);
}

/** RFC 5214: an interface identifier of 0:5efe or 200:5efe, then an IPv4 address. */
function isIsatap(address: ipaddr.IPv6): boolean {
  const [high, low] = address.parts.slice(4, 6);
  return low === 0x5efe && (high === 0 || high === 0x0200);
}
