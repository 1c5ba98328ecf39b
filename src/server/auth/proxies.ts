import { isIP } from 'node:net'
import { refuseSetting } from '../settings/parse_setting.ts'

const words: readonly string[] = ['loopback', 'linklocal', 'uniquelocal']

/**
 * Reads the proxies whose X-Forwarded headers are believed.
 *
 * @throws {Problem} usage/bad-argument for what is no address, network or known word
 */
export function readProxies(texts: readonly string[] = [], name = 'trustedProxies'): string[] {
  const wrong = texts.find((text) => !words.includes(text) && !isNetwork(text))
  if (wrong === undefined) return [...texts]
  throw refuseSetting(name, wrong, {
    reason: 'it is not an address or a network',
    hint: `Write an address, a network such as 10.0.0.0/8, or one of ${words.join(', ')}.`,
  })
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}
