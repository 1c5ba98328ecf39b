import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import { BlockList, isIP } from 'node:net'

/** Thrown when all addresses of a host are in private networks. */
export class PrivateAddressError extends Error {
  readonly code = 'LANDFORM_PRIVATE_ADDRESS'
  readonly host: string

  constructor(host: string) {
    super(`${host} has no public address`)
    this.host = host
  }
}

/** Networks that are not part of the public Internet. @see IANA IPv4 Special-Purpose Address Registry */
const privateNetworks: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/** Ranges within IPv6 global unicast that embed IPv4 addresses (Teredo, 6to4) or are reserved for documentation. */
const reservedNetworks: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

const private4 = new BlockList()
for (const [network, prefix] of privateNetworks) private4.addSubnet(network, prefix, 'ipv4')
const global6 = new BlockList()
global6.addSubnet('2000::', 3, 'ipv6')
const reserved6 = new BlockList()
for (const [network, prefix] of reservedNetworks) reserved6.addSubnet(network, prefix, 'ipv6')

/** Reports whether an address is outside the public Internet: loopback, private, link-local or reserved. */
export function isPrivateAddress(address: string): boolean {
  if (isIP(address) === 4) return private4.check(address, 'ipv4')
  return isIP(address) !== 6 || !global6.check(address, 'ipv6') || reserved6.check(address, 'ipv6')
}

type LookupCallback = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void

/**
 * Resolves a host name like `dns.lookup`, but returns public addresses only. The socket connects to the checked address,
 * which prevents DNS rebinding.
 */
export function lookupPublic(host: string, options: LookupOptions, done: LookupCallback): void {
  lookup(host, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return done(error, [])
    const found = addresses.filter(({ address }) => !isPrivateAddress(address))
    const [first] = found
    if (first === undefined) return done(new PrivateAddressError(host), [])
    if (options.all) done(null, found)
    else done(null, first.address, first.family)
  })
}
