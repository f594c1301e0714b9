/** Host and port of a URL: an IPv6 address stands in brackets (RFC 3986, section 3.2.2). */
export function authority(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** URL of a server for programs of this machine. @param host address that the server listens on */
export function localUrl(host: string, port: number): string {
  const isAny = host === '0.0.0.0' || host === '::';
  return `http://${authority(isAny ? '127.0.0.1' : host, port)}`;
}
