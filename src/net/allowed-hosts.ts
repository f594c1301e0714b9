import { StartupError } from '../domain/startup-error.ts';
export interface AllowedHost {
  hostname: string;
  /** Null: any port */
  port: number | null;
  /** Exception to any port: this port is not allowed */
  exceptPort?: number;
}

/**
 * Parses a list such as `minio:9000, 10.0.0.7, [fd00::1]:8080`, separated by commas or spaces.
 * @throws StartupError that names the entry that is not a host or host:port
 */
export function parseAllowedHosts(list: string): AllowedHost[] {
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map(parseEntry);
}

function parseEntry(entry: string): AllowedHost {
  const [, host = '', digits] = /^(\[[^\]]+\]|[^:/?#@\\[\]]+)(?::(\d{1,5}))?$/.exec(entry) ?? [];
  const port = digits === undefined ? null : Number(digits);
  const url = URL.canParse(`http://${host}/`) ? new URL(`http://${host}/`) : undefined;
  if (host === '' || url === undefined || port === 0 || (port ?? 0) > 65535) {
    throw new StartupError(
      `Expected a host or host:port, with an IPv6 address in brackets, but received ${JSON.stringify(entry)}.`,
    );
  }
  return { hostname: toHostname(url), port };
}

export function isAllowedHost(url: URL, allowed: readonly AllowedHost[]): boolean {
  const [hostname, port] = [toHostname(url), toPort(url)];
  return allowed.some(
    (host) => host.hostname === hostname && (host.port === null ? host.exceptPort !== port : host.port === port),
  );
}

/** The host as normalised by WHATWG URL, without DNS's optional trailing dot. */
export function toHostname(url: URL): string {
  return url.hostname.replace(/\.$/, '');
}

export function toPort(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
}
