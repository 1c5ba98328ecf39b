import { isIP, isIPv6 } from 'node:net'
import { refuseSetting } from '../settings/parse_setting.ts'

/**
 * Returns the network of an address, for counting attempts: an IPv4 address itself, or the /64 network of an IPv6
 * address, since a single customer usually has a full /64.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const [plain = ''] = address.split('%', 1)
  if (!isIPv6(plain)) return address
  const [head = '', tail] = plain.toLowerCase().split('::')
  const groups = head.split(':').filter((group) => group !== '')
  const rest = tail === undefined ? [] : tail.split(':').filter((group) => group !== '')
  // An embedded IPv4 address counts as two groups, which are never among the first four.
  const missing = 8 - groups.length - rest.length - (plain.includes('.') ? 1 : 0)
  const all = [...groups, ...Array.from({ length: tail === undefined ? 0 : missing }, () => '0'), ...rest]
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}

const keywords: readonly string[] = ['loopback', 'linklocal', 'uniquelocal']

/**
 * Parses the setting of trusted proxies.
 *
 * @throws {Problem} usage/bad-argument for values other than addresses, networks and keywords
 */
export function readProxies(texts: readonly string[] = [], name = 'trustedProxies'): string[] {
  const wrong = texts.find((text) => !keywords.includes(text) && !isNetwork(text))
  if (wrong === undefined) return [...texts]
  throw refuseSetting(name, wrong, {
    reason: 'it is not an address or a network',
    hint: `Write an address, a network such as 10.0.0.0/8, or one of ${keywords.join(', ')}.`,
  })
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}
