/**
 * Creates the rule which URLs may lead to private networks.
 *
 * @param hosts names or addresses, with a port or for every port: `gis.example.org`, `127.0.0.1:8080`, `[::1]:8080`
 */
export function allowHosts(hosts: readonly string[]): (url: URL) => boolean {
  const allowed = new Set(hosts.map((host) => host.toLowerCase()))
  return (url) => allowed.has(url.hostname) || allowed.has(hostOf(url))
}

/** Returns the host of a URL with its port, also if that is the default one of the protocol. */
export function hostOf({ protocol, hostname, port }: URL): string {
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
}
