import { problem } from '../../contract/problems.ts'
import { findHint } from '../../core/suggest.ts'

/**
 * Returns the problem of an invalid setting.
 *
 * @param name option, variable or member of the value
 * @param value undefined for values that may hold a secret
 */
export function refuseSetting(
  name: string,
  value: string | undefined,
  { reason, hint }: { readonly reason: string; readonly hint: string },
) {
  const shown = value === undefined ? name : `${name} ${JSON.stringify(value)}`
  return problem('usage/bad-argument', `Cannot use ${shown}: ${reason}.`, { hint })
}

const sizeUnits: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  t: 1e12,
  ki: 2 ** 10,
  mi: 2 ** 20,
  gi: 2 ** 30,
  ti: 2 ** 40,
}

/**
 * Parses a number of bytes: `500000`, `500kB`, `64MiB`, `2.5 GiB`.
 *
 * @throws {Problem} usage/bad-argument
 */
export function parseBytes(text: string, name: string): number {
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?)\s*([kmgt]i?)?b?$/i.exec(text.trim()) ?? []
  const bytes = Math.round(Number(count) * (sizeUnits[unit.toLowerCase()] ?? Number.NaN))
  if (Number.isSafeInteger(bytes) && bytes > 0) return bytes
  throw refuseSetting(name, text, {
    reason: 'it is not a size',
    hint: 'Write a size such as 500MB, 64MiB or 2GiB.',
  })
}

/**
 * Parses a number of seconds, at most a day.
 *
 * @throws {Problem} usage/bad-argument
 */
export function parseSeconds(text: string, name: string): number {
  const seconds = Number(text)
  if (seconds > 0 && seconds <= 86_400) return seconds
  throw refuseSetting(name, text, {
    reason: 'it is not a number of seconds from above 0 to 86400',
    hint: 'Write a number of seconds such as 60 or 0.5.',
  })
}

/**
 * Parses a number of hours, at most a year.
 *
 * @throws {Problem} usage/bad-argument
 */
export function parseHours(text: string, name: string): number {
  const hours = Number(text)
  if (hours > 0 && hours <= 8784) return hours
  throw refuseSetting(name, text, {
    reason: 'it is not a number of hours from above 0 to 8784',
    hint: 'Write a number of hours such as 24, or off.',
  })
}

/**
 * Parses the cost of a password hash: 16 MiB and 25 ms to 1 GiB and 2 s.
 *
 * @throws {Problem} usage/bad-argument
 */
export function parsePasswordCost(text: string, name: string): number {
  const cost = Number(text)
  if (Number.isInteger(cost) && cost >= 14 && cost <= 20) return cost
  throw refuseSetting(name, text, {
    reason: 'it is not a whole number from 14 to 20',
    hint: 'Write 15, or one more for twice the time and memory of each login.',
  })
}

/**
 * Parses a number of days, at most a century.
 *
 * @throws {Problem} usage/bad-argument
 */
export function parseDays(text: string, name: string): number {
  const days = Number(text)
  if (Number.isInteger(days) && days >= 1 && days <= 36_525) return days
  throw refuseSetting(name, text, {
    reason: 'it is not a whole number of days from 1 to 36525',
    hint: 'Write a number of days such as 365.',
  })
}

/**
 * Parses the code of a reference system: `25832`, `EPSG:25832`.
 *
 * @throws {Problem} usage/bad-argument
 */
export function parseSrs(text: string, name: string): number {
  const [, code] = /^(?:EPSG:)?(\d{1,6})$/i.exec(text) ?? []
  if (code !== undefined) return Number(code)
  throw refuseSetting(name, text, { reason: 'it is not an EPSG code', hint: 'Write a code such as 25832.' })
}

/**
 * Parses a host with or without a port: `gis.example.org`, `10.0.0.7:8080`, `[::1]:8080`.
 *
 * @throws {Problem} usage/bad-argument
 */
export function parseHost(text: string, name: string): string {
  const isHost = /^(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i.test(text) && URL.canParse(`http://${text}/`)
  if (isHost) return text.toLowerCase()
  throw refuseSetting(name, text, {
    reason: 'it is not a host',
    hint: 'Write a host such as gis.example.org or 10.0.0.7:8080.',
  })
}

/** Formats a number of bytes as `parseBytes` reads it: `64MiB`. */
export function formatBytes(bytes: number): string {
  const units = ['Ti', 'Gi', 'Mi', 'Ki'] as const
  const unit = units.find((name) => bytes % (sizeUnits[name.toLowerCase()] ?? 1) === 0)
  return unit === undefined ? String(bytes) : `${bytes / (sizeUnits[unit.toLowerCase()] ?? 1)}${unit}B`
}

/**
 * Parses the URL of a PostgreSQL database. Errors do not show it: it may hold a password.
 *
 * @throws {Problem} usage/bad-argument
 */
export function parseDatabase(text: string, name: string): string {
  if (URL.canParse(text) && /^postgres(ql)?:/.test(text)) return text
  throw refuseSetting(name, undefined, {
    reason: 'the value is not the URL of a PostgreSQL database',
    hint: 'Write a URL such as postgres://user@host:5432/database.',
  })
}

/** Host and port to listen on. */
export interface ListenAddress {
  readonly host: string
  /** 0 for a free port. */
  readonly port: number
}

/**
 * Parses an address to listen on: `127.0.0.1:8080`, `[::1]:8080`, `:8080`, `8080`.
 *
 * @throws {Problem} usage/bad-argument
 */
export function parseListen(text: string, name: string): ListenAddress {
  const match = /^(?:(?:\[([^\]]+)\]|([^:]*)):)?(\d{1,5})$/.exec(text)
  const port = Number(match?.[3])
  if (match === null || port > 65535) {
    throw refuseSetting(name, text, {
      reason: 'it is not an address to listen on',
      hint: 'Write host and port, such as 127.0.0.1:8080.',
    })
  }
  return { host: match[1] ?? (match[2] || '127.0.0.1'), port }
}

/**
 * Parses the items of a comma-separated list.
 *
 * @throws {Problem} what `parse` throws
 */
export function parseItems<T>(text: string, parse: (item: string) => T): readonly T[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map(parse)
}

/**
 * Parses a keyword into its value.
 *
 * @throws {Problem} usage/bad-argument
 */
export function parseChoice<T>(text: string, name: string, values: Readonly<Record<string, T>>): T {
  const words = Object.keys(values)
  const value = Object.hasOwn(values, text) ? values[text] : undefined
  if (value !== undefined) return value
  throw refuseSetting(name, text, {
    reason: `it is not one of ${words.join(', ')}`,
    hint: findHint(text, words) ?? `Use ${words.join(' or ')}.`,
  })
}

/**
 * Parses the value of a switch.
 *
 * @throws {Problem} usage/bad-argument
 */
export function parseSwitch(text: string, name: string): boolean {
  return parseChoice(text.toLowerCase(), name, { true: true, false: false, 1: true, 0: false })
}

/** Where the catalog is: below a base path without trailing slash, on an address of its own, or nowhere. */
export type CatalogPlace = { readonly path: string } | { readonly listen: ListenAddress } | 'off'

/**
 * Parses the place of the catalog: `/`, `/catalog`, `127.0.0.1:8081` or `off`.
 *
 * @throws {Problem} usage/bad-argument
 */
export function parseCatalogPlace(text: string, name: string): CatalogPlace {
  if (text === 'off') return 'off'
  if (/^(\/[\w.~-]+)*\/?$/.test(text) && text !== '') return { path: text.replace(/\/$/, '') }
  if (/^(\[[^\]]+\]|[^:/]*):?\d+$/.test(text)) return { listen: parseListen(text, name) }
  throw refuseSetting(name, text, {
    reason: 'it is not a place for the catalog',
    hint: 'Write a base path such as /catalog, an address such as 127.0.0.1:8081, or off.',
  })
}
