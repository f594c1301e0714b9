/**
 * A signed address of a file as the page loads it. The gateway signs addresses for the name that it is known by; where the
 * page was opened by another one (localhost, a tunnel), its own files are read from there, as the page's policy demands.
 * @param path where on the gateway such addresses lie
 */
export function sameOrigin(address: string, path: '/files/' | '/uploads/' = '/files/'): string {
  const { pathname, search } = new URL(address, location.href);
  return pathname.startsWith(path) ? pathname + search : address;
}
