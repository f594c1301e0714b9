import ipaddr from 'ipaddr.js';

/** The range of IPv6 addresses of the public internet (IANA IPv6 address space registry). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/** A public address that Azure's machines use for platform services. */
const PLATFORM_SERVICES = '168.63.129.16';

/**
 * Whether an IP address in its usual text form is on the public internet. Refuses loopback, private, link-local,
 * carrier-grade NAT, multicast, reserved, documentation and benchmark ranges. Also refuses every IPv6 form with an
 * IPv4 address inside (mapped, compatible, translated, NAT64, 6to4, Teredo, ISATAP), because an unknown router
 * decides its destination. Invalid text is refused as well. Source: IANA special-purpose address registries (RFC
 * 6890), as maintained in ipaddr.js.
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
