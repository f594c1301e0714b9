/**
 * The public part of a caller's URL: scheme, host and port. Each other part may be a secret: the query of a presigned URL, the
 * path of a webhook, the user before the host.
 */
export function toPublicAddress(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}
