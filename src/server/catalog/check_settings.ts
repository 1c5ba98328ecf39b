import { allowHosts, hostOf } from '../../catalog/allowed_hosts.ts'
import type { CheckSettings } from '../../catalog/check_services.ts'
import type { ServerContext } from '../context.ts'

/** Returns the settings of a run of checks. The server itself may be in a private network. */
export function checkSettingsOf(context: ServerContext, signal: AbortSignal): CheckSettings {
  const { log, allowPrivateAddresses, catalogCheckHosts, ownUrls } = context
  const hosts = [...catalogCheckHosts, ...ownUrls.flatMap(ownHosts)]
  return {
    timeoutMs: context.catalogCheckTimeoutSeconds * 1000,
    allowsPrivate: allowPrivateAddresses ? () => true : allowHosts(hosts),
    turns: context.hostTurns,
    signal,
    onError: (error: unknown, { id }: { readonly id: number }) =>
      log.error({ error, geoservice: id }, 'the check of a geoservice failed unexpectedly'),
  }
}

/** Hosts and ports under which a server reaches itself. */
function ownHosts(url: string): string[] {
  const own = new URL(url)
  const isLocal = ['0.0.0.0', '[::]', '127.0.0.1', '[::1]'].includes(own.hostname)
  const names = isLocal ? ['localhost', '127.0.0.1', '[::1]'] : [own.hostname]
  return names.map((name) => hostOf(new URL(`${own.protocol}//${name}:${own.port}`)))
}
