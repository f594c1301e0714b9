/**
 * What the dashboard's page may do: its own script and style, pictures of its own making and of the gateway, calls to the
 * gateway. Nothing inline, nothing from elsewhere, no text that becomes markup, and no frame around it.
 *
 * @param uploadOrigins where signed addresses of uploads lead, when that is not the gateway
 */
export function contentSecurityPolicy(uploadOrigins: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob: data:",
    ["connect-src 'self'", ...uploadOrigins].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}
