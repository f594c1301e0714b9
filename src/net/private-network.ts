/**
 * The sentence about a private address, with the setting that permits it. It names the host, and not the rest of the URL, which
 * may contain a secret.
 */
export const privateNetwork = (hostname: string): string =>
  `The URL leads to a private network. Use a public URL, or ask the operator to add ${hostname} to BURNISH_ALLOWED_PRIVATE_HOSTS.`;
