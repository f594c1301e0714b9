/**
 * The address from which a page loads a signed file. The service signs addresses with its public name. A page that was opened
 * under another name (localhost, a tunnel) must load them from its own origin, because of its content security policy.
 */
export function sameOrigin(url: string): string {
  const { location } = globalThis as unknown as { location: { href: string } };
  const { pathname, search } = new URL(url, location.href);
  return pathname.startsWith('/files/') ? pathname + search : url;
}
