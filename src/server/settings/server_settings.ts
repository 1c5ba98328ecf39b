import type { Dialect } from '../../contract/dialect/dialect.ts'
import { bodyBytes, clientLimits, guestUploadLimits } from '../../contract/limits.ts'
import { administrator } from '../../contract/principal.ts'
import type { LogLevel } from '../../core/log.ts'
import { isProblem } from '../../core/problem.ts'
import { readProxies } from '../auth/client_address.ts'
import { readOrigins } from '../auth/origin.ts'
import { defaultPasswordCost } from '../auth/password.ts'
import { checkPassword } from '../auth/password_rules.ts'
import { parseKey } from '../auth/secret_box.ts'
import {
  type CatalogPlace,
  formatBytes,
  parseBytes,
  parseCatalogPlace,
  parseChoice,
  parseDatabase,
  parseDays,
  parseHost,
  parseHours,
  parseItems,
  parseListen,
  parsePasswordCost,
  parseSeconds,
  parseSrs,
  parseSwitch,
  refuseSetting,
} from './parse_setting.ts'
import type { Setting } from './setting.ts'

const dataFolder = '.landform/data'
const listen = '127.0.0.1:8080'
const uploadBytes = 8 * 2 ** 30
const tileCacheBytes = 2 ** 30
const keptBytes = 10 * 2 ** 30

/**
 * The settings of the server. Options of `landform serve` and `landform start`, environment variables, defaults and the
 * types of the configuration derive from this table.
 */
export const serverSettings = {
  /** Host and port to listen on; port 0 for a free port. */
  listen: {
    flag: '--listen',
    argument: '<address>',
    variable: 'LANDFORM_LISTEN',
    help: 'address to listen on',
    default: parseListen(listen, 'listen'),
    defaultHelp: listen,
    parse: parseListen,
  },
  /** Folder of the data: embedded database, files, generated password, keys. */
  dataFolder: {
    flag: '--data',
    argument: '<folder>',
    variable: 'LANDFORM_DATA',
    help: 'data directory',
    default: dataFolder,
    defaultHelp: dataFolder,
    parse: (text: string) => text,
  },
  /** PostgreSQL with PostGIS, as a postgres:// URL; the embedded database if absent. */
  databaseUrl: {
    flag: '--database',
    argument: '<url>',
    variable: 'LANDFORM_DATABASE',
    help: 'PostgreSQL database with PostGIS',
    defaultHelp: 'the embedded database',
    parse: parseDatabase,
  },
  /** Proxies whose X-Forwarded headers are trusted: addresses, networks, or loopback, linklocal, uniquelocal. */
  trustedProxies: {
    flag: '--trust-proxy',
    argument: '<addresses>',
    isList: true,
    variable: 'LANDFORM_TRUST_PROXY',
    help: 'trusted proxies: addresses, networks, or loopback, linklocal, uniquelocal',
    default: [] as readonly string[],
    parse: (text: string, name: string) => parseItems(text, (item) => readProxies([item], name)[0] as string),
  },
  /** Origins of other sites whose pages may send requests with the user's session, as `https://maps.example.org`. */
  corsOrigins: {
    flag: '--cors-origin',
    argument: '<origin>',
    isList: true,
    variable: 'LANDFORM_CORS_ORIGIN',
    help: 'allowed CORS origin, with credentials; may be repeated',
    default: [] as readonly string[],
    parse: (text: string, name: string) => parseItems(text, (item) => readOrigins([item], name)[0] as string),
  },
  /** Where the catalog is: below a base path of the server, on an address of its own, or nowhere. */
  catalog: {
    flag: '--catalog',
    argument: '<place>',
    variable: 'LANDFORM_CATALOG',
    help: 'place of the catalog: a base path, an address to listen on, or off',
    default: { path: '' } as CatalogPlace,
    defaultHelp: '/',
    parse: parseCatalogPlace,
  },
  /** Hours between two checks of a geoservice of the catalog. */
  catalogCheckHours: {
    flag: '--catalog-check',
    argument: '<hours>',
    variable: 'LANDFORM_CATALOG_CHECK',
    help: 'hours between two checks of a geoservice of the catalog, or off',
    default: 24 as number | 'off',
    defaultHelp: '24',
    parse: (text: string, name: string) => (text === 'off' ? text : parseHours(text, name)),
  },
  /** Hosts in private networks that checks may request, with or without a port; editors see what they respond. */
  catalogCheckHosts: {
    flag: '--catalog-check-host',
    argument: '<host>',
    isList: true,
    variable: 'LANDFORM_CATALOG_CHECK_HOST',
    help: 'host in a private network that checks may request, with or without a port; may be repeated',
    default: [] as readonly string[],
    parse: (text: string, name: string) => parseItems(text, (item) => parseHost(item, name)),
  },
  /** Maximum time of a check in seconds. */
  catalogCheckTimeoutSeconds: {
    flag: '--catalog-check-timeout',
    argument: '<seconds>',
    variable: 'LANDFORM_CATALOG_CHECK_TIMEOUT',
    help: 'maximum time of a check, in seconds',
    default: 10,
    defaultHelp: '10',
    parse: parseSeconds,
  },
  /** Days after which results of checks are deleted, except the last one of a geoservice. */
  catalogHistoryDays: {
    flag: '--catalog-history',
    argument: '<days>',
    variable: 'LANDFORM_CATALOG_HISTORY',
    help: 'days after which results of checks are deleted, except the last one of a geoservice',
    default: 365,
    defaultHelp: '365',
    parse: parseDays,
  },
  /** EPSG codes that services announce for all layers, besides those of the world and of the layers. */
  announcedSystems: {
    flag: '--crs',
    argument: '<codes>',
    isList: true,
    variable: 'LANDFORM_CRS',
    help: 'further reference systems that services announce, as EPSG codes such as 25832',
    default: [] as readonly number[],
    parse: (text: string, name: string) => parseItems(text, (item) => parseSrs(item, name)),
  },
  /** Whether connections may name addresses in private networks; their authors could probe the server's network. */
  allowPrivateAddresses: {
    flag: '--allow-private-addresses',
    variable: 'LANDFORM_ALLOW_PRIVATE_ADDRESSES',
    help: 'allow connections to addresses in private networks',
    default: false as boolean,
    parse: parseSwitch,
  },
  /** Maximum size of a JSON body in bytes, from which the limits of other bodies derive. */
  bodyLimitBytes: {
    flag: '--body-limit',
    argument: '<size>',
    variable: 'LANDFORM_BODY_LIMIT',
    help: 'maximum size of a JSON body',
    default: bodyBytes.large,
    defaultHelp: formatBytes(bodyBytes.large),
    parse: parseBytes,
  },
  /** Maximum size of an upload in bytes. */
  uploadLimitBytes: {
    flag: '--upload-limit',
    argument: '<size>',
    variable: 'LANDFORM_UPLOAD_LIMIT',
    help: 'maximum size of an upload',
    default: uploadBytes,
    defaultHelp: formatBytes(uploadBytes),
    parse: parseBytes,
  },
  /** Maximum number of bytes that guests of one network can upload in a day; the upload limit if absent. */
  guestUploadBytes: {
    flag: '--guest-upload-quota',
    argument: '<size>',
    variable: 'LANDFORM_GUEST_UPLOAD_QUOTA',
    help: `daily guest uploads from one network; ${guestUploadLimits.networks} times as much from all networks`,
    defaultHelp: 'the upload limit',
    parse: parseBytes,
  },
  /** Maximum seconds of drawing an image, and of reading its layers. */
  renderTimeoutSeconds: {
    flag: '--render-timeout',
    argument: '<seconds>',
    variable: 'LANDFORM_RENDER_TIMEOUT',
    help: 'maximum time of drawing an image, and of reading its layers, in seconds',
    default: 30,
    defaultHelp: '30',
    parse: parseSeconds,
  },
  /** Folder of the tiles of styles with a tile cache; in the data folder if absent. */
  tileCacheFolder: {
    flag: '--tile-cache',
    argument: '<folder>',
    variable: 'LANDFORM_TILE_CACHE',
    help: 'folder of cached tiles',
    defaultHelp: 'tiles in the data directory',
    parse: (text: string) => text,
  },
  /** Maximum size of the cached tiles in bytes. */
  tileCacheBytes: {
    flag: '--tile-cache-size',
    argument: '<size>',
    variable: 'LANDFORM_TILE_CACHE_SIZE',
    help: 'maximum size of cached tiles',
    default: tileCacheBytes,
    defaultHelp: formatBytes(tileCacheBytes),
    parse: parseBytes,
  },
  /** Days that replaced and deleted data of layers are kept for an undo. */
  keptDataDays: {
    flag: '--keep-data',
    argument: '<days>',
    variable: 'LANDFORM_KEEP_DATA',
    help: 'days that replaced and deleted data of layers are kept for an undo, or off',
    default: 14 as number | 'off',
    defaultHelp: '14',
    parse: (text: string, name: string) => (text === 'off' ? text : parseDays(text, name)),
  },
  /** Maximum size of the kept data in bytes; the oldest go first. */
  keptDataBytes: {
    flag: '--keep-data-size',
    argument: '<size>',
    variable: 'LANDFORM_KEEP_DATA_SIZE',
    help: 'maximum size of the kept data; the oldest go first',
    default: keptBytes,
    defaultHelp: formatBytes(keptBytes),
    parse: parseBytes,
  },
  /** Minimum transfer rate of a client in bytes per second, averaged over the timeout. */
  minRate: {
    flag: '--min-rate',
    argument: '<size>',
    variable: 'LANDFORM_MIN_RATE',
    help: 'minimum transfer rate of a client, in bytes per second',
    default: clientLimits.minRate,
    defaultHelp: String(clientLimits.minRate),
    parse: parseBytes,
  },
  /** Maximum time, in seconds, that a client may stay below the minimum rate. */
  clientTimeoutSeconds: {
    flag: '--client-timeout',
    argument: '<seconds>',
    variable: 'LANDFORM_CLIENT_TIMEOUT',
    help: 'maximum time that a client may be slower than that, in seconds',
    default: clientLimits.seconds,
    defaultHelp: String(clientLimits.seconds),
    parse: parseSeconds,
  },
  /** Field names in responses, unless a request selects a dialect. */
  dialect: {
    flag: '--dialect',
    argument: '<name>',
    variable: 'LANDFORM_DIALECT',
    help: 'field names in responses: document or ngw (NextGIS)',
    default: 'document' as Dialect,
    defaultHelp: 'document',
    parse: (text: string, name: string): Dialect =>
      parseChoice<Dialect>(text, name, { document: 'document', ngw: 'nextgis' }),
  },
  /** Whether the server behaves like NextGIS Web, without extensions, for testing clients. */
  plain: {
    flag: '--plain',
    variable: 'LANDFORM_PLAIN',
    help: 'behave like NextGIS Web, without extensions, for testing clients',
    default: false as boolean,
    parse: parseSwitch,
  },
  /** Minimum severity of log messages. */
  logLevel: {
    flag: '--log-level',
    argument: '<level>',
    variable: 'LANDFORM_LOG_LEVEL',
    help: 'log level on standard error: debug, info, warn or error',
    default: 'info' as LogLevel,
    defaultHelp: 'info',
    parse: (text: string, name: string): LogLevel =>
      parseChoice<LogLevel>(text, name, { debug: 'debug', info: 'info', warn: 'warn', error: 'error' }),
  },
  /** Base-2 logarithm of the cost N of hashes of new passwords, by scrypt. @see RFC 7914 clause 2 */
  passwordCost: {
    flag: '--password-cost',
    argument: '<number>',
    variable: 'LANDFORM_PASSWORD_COST',
    help: 'cost of hashes of new passwords: base-2 logarithm of N of scrypt, 14 to 20',
    default: defaultPasswordCost,
    defaultHelp: String(defaultPasswordCost),
    parse: parsePasswordCost,
  },
  /** Password of the administrator, used on the first start only; generated if absent. */
  adminPassword: {
    variable: 'LANDFORM_ADMIN_PASSWORD',
    help: 'password of the administrator, on the first start',
    defaultHelp: 'a generated password',
    parse: parseAdminPassword,
  },
  /** Key that encrypts passwords of external services, 32 bytes in base64; stored in the data folder if absent. */
  secretKey: {
    variable: 'LANDFORM_SECRET_KEY',
    help: 'key that encrypts the passwords of external services, 32 bytes in base64',
    defaultHelp: 'a generated key in the data directory',
    parse: (text: string, name: string): string => {
      parseKey(text, name)
      return text
    },
  },
} satisfies Readonly<Record<string, Setting<unknown>>>

function parseAdminPassword(text: string, name: string): string {
  try {
    checkPassword(text, administrator)
    return text
  } catch (error) {
    if (!isProblem(error)) throw error
    throw refuseSetting(name, undefined, {
      reason: lowerFirst(error.message.replace(/\.$/, '')),
      hint: 'Choose another, or unset it: it is read at the first start only, which otherwise generates one.',
    })
  }
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)

type Table = typeof serverSettings

/** Name of a setting, as a member of the configuration. */
export type SettingName = keyof Table

/** Values of the settings that are set. */
export type GivenSettings = {
  readonly [K in keyof Table]?: ReturnType<Table[K]['parse']> | undefined
}

type NameWithDefault = {
  [K in SettingName]: Table[K] extends { readonly default: unknown } ? K : never
}[SettingName]

/** Values of the settings that always have one, defaults included. */
export type CompleteSettings = {
  readonly [K in keyof Pick<Table, NameWithDefault | 'guestUploadBytes'>]: ReturnType<Table[K]['parse']>
}

/** The settings in the order of the help. */
export function listSettings(): readonly (readonly [SettingName, Setting<unknown>])[] {
  return Object.entries(serverSettings) as unknown as [SettingName, Setting<unknown>][]
}

/** Names of the settings whose values are secret. */
export function secretSettings(): SettingName[] {
  return listSettings().flatMap(([name, { flag }]) => (flag === undefined ? [name] : []))
}

/**
 * Parses settings from the command line and, where an option is absent, from the environment.
 *
 * @param options texts by flag; `true` for a switch
 * @throws {Problem} usage/bad-argument, naming the flag or variable
 */
export function readSettings(
  options: Readonly<Record<string, string | undefined>>,
  env: Readonly<Record<string, string | undefined>>,
): GivenSettings {
  const given = listSettings().flatMap(([name, { flag, variable, parse }]) => {
    const option = flag === undefined ? undefined : options[flag]
    if (flag !== undefined && option !== undefined) return [[name, parse(option, flag)]]
    const text = env[variable]
    return text === undefined || text === '' ? [] : [[name, parse(text, variable)]]
  })
  return Object.fromEntries(given)
}

/** Completes settings with the defaults; leaves out those that have none. */
export function completeSettings(given: GivenSettings): CompleteSettings {
  const values = listSettings().flatMap(([name, setting]) =>
    'default' in setting ? [[name, given[name] ?? setting.default]] : [],
  )
  const complete: Omit<CompleteSettings, 'guestUploadBytes'> = Object.fromEntries(values)
  return { ...complete, guestUploadBytes: given.guestUploadBytes ?? complete.uploadLimitBytes }
}
