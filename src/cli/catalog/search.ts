import { InvalidArgumentError, Option } from 'commander'
import type { Api } from '../../api/api.ts'
import { cumulativeStatuses, type GeoserviceItem, geoserviceTypes } from '../../contract/catalog/catalog.ts'
import { countOf, showNumber } from '../../core/count.ts'
import { findHint } from '../../core/suggest.ts'
import { formatBox } from '../../geo/boundary.ts'
import type { CommandSpec } from '../command.ts'
import { connectAsGuest, type ServerSettings } from '../connect.ts'
import { eventOptions, parseCount } from '../options.ts'
import { withServer } from '../principals.ts'
import { writeEvent } from '../print/events.ts'
import { formatColumns, plainLine } from '../print/text_format.ts'
import { type Terminal, writeLine } from '../terminal.ts'
import {
  type MoreMembers,
  readMore,
  readUrls,
  type SearchFilters,
  type SearchResult,
  searchCatalog,
  unchecked,
  withCatalog,
} from './search_catalog.ts'

/** Geoservice with members that only details and editors have, as far as they were read. */
type FoundService = GeoserviceItem & MoreMembers

/** Values of the columns, by name. */
const columns = {
  id: ({ id }: FoundService) => String(id),
  key: ({ keyname }: FoundService) => keyname ?? '-',
  guid: ({ guid }: FoundService) => guid,
  type: ({ type }: FoundService) => type,
  epsg: ({ epsg }: FoundService) => (epsg === null ? '-' : String(epsg)),
  status: ({ cumulative_status: status }: FoundService) => status ?? unchecked,
  name: ({ name }: FoundService) => name,
  desc: ({ desc }: FoundService) => desc ?? '-',
  url: ({ url }: FoundService) => url ?? '-',
} as const

type Column = keyof typeof columns

const columnNames = Object.keys(columns) as Column[]
const defaultColumns: readonly Column[] = ['id', 'type', 'epsg', 'status', 'name']

function formatServices(services: readonly FoundService[], names: readonly Column[]): string {
  const rows = services.map((service) => names.map((name) => plainLine(columns[name](service))))
  return formatColumns(
    names.map((name) => name.toUpperCase()),
    rows,
  )
}

function parseColumns(text: string): Column[] {
  return text.split(',').map((part) => {
    const name = part.trim().toLowerCase()
    const found = columnNames.find((known) => known === name)
    if (found !== undefined) return found
    throw new InvalidArgumentError(findHint(name, columnNames) ?? `Use ${columnNames.join(', ')}.`)
  })
}

/** Parses a box `west,south,east,north` in degrees to WKT. */
function parseBox(text: string): string {
  const numbers = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)))
  const [west = 0, south = 0, east = 0, north = 0] = numbers
  const isOnMap =
    [west, east].every((x) => Math.abs(x) <= 180) && [south, north].every((y) => Math.abs(y) <= 90)
  if (numbers.length !== 4 || !isOnMap || south > north)
    throw new InvalidArgumentError('Use west,south,east,north in degrees, such as 10,59,11,60.')
  return formatBox([west, south, east, north])
}

const defaultLimit = 50

interface SearchOptions extends Partial<Omit<SearchFilters, 'words'>> {
  readonly json?: boolean
  readonly all?: boolean
  readonly columns?: readonly Column[]
}

interface Search {
  readonly api: Api
  readonly filters: SearchFilters
  readonly options: SearchOptions
}

/** Searches the catalog, and adds keys and addresses where they are shown. */
async function search(
  { api, filters, options }: Search,
  connectTo: (url: string) => Api,
): Promise<SearchResult & { readonly results: readonly FoundService[] }> {
  return withCatalog(api, connectTo, async (catalog) => {
    const found = await searchCatalog(catalog, filters)
    const { json = false, columns: names = [] } = options
    const needsUrl = names.includes('url')
    const more = json || needsUrl || names.includes('key') ? await readMore(api) : new Map()
    const known = more.size === 0 && needsUrl ? await readUrls(catalog, found.results) : more
    return { ...found, results: found.results.map((one) => ({ ...one, ...known.get(one.id) })) }
  })
}

async function runSearch(request: Search, settings: ServerSettings, terminal: Terminal): Promise<void> {
  const { json = false, columns: names = defaultColumns } = request.options
  const { count, results } = await search(request, (url) => connectAsGuest(url, settings, terminal))
  if (json) {
    for (const geoservice of results) writeEvent(terminal.out, 'geoservice', { geoservice })
    return
  }
  if (results.length > 0) writeLine(terminal.out, formatServices(results, names))
  const rest = count > results.length ? `${showNumber(results.length)} of ` : ''
  writeLine(terminal.err, `${rest}${countOf(count, 'geoservice')}`)
}

/** The command `catalog search`. */
export const searchCommand: CommandSpec = {
  name: 'search',
  summary: 'list geoservices of the catalog whose name or description has all words',
  notes: [
    'Keys are those of manifests; only accounts that may manage the catalog see them. JSON has keys and addresses for these accounts.',
  ],
  examples: [
    'landform catalog search',
    'landform catalog search satellite --type tms --epsg 3857 --status works',
    'landform catalog search --bbox 10,59,11,60 --columns key,name,url',
    'landform catalog search --status unchecked --all --json',
  ],
  declare: (command) =>
    eventOptions(command.argument('[words...]', 'words in the name or the description'))
      .addOption(new Option('--type <type>', 'type of the services').choices([...geoserviceTypes]))
      .option('--epsg <code>', 'EPSG code', parseCount)
      .addOption(
        new Option('--status <status>', 'result of the last check').choices([
          ...cumulativeStatuses,
          unchecked,
        ]),
      )
      .option('--bbox <box>', 'area in degrees that the services cover: west,south,east,north', parseBox)
      .option('--limit <count>', `maximum number of services (default: ${defaultLimit})`, parseCount)
      .option('--all', 'all services that match')
      .option(
        '--columns <names>',
        `columns of the table, of ${columnNames.join(', ')} (default: ${defaultColumns.join(',')})`,
        parseColumns,
      ),
  run: ({ arguments: [words], options }, terminal) =>
    withServer(options, terminal, (api) => {
      const asked = options as SearchOptions
      const { type, epsg, status, bbox, limit = defaultLimit, all = false } = asked
      const filters = {
        words: (words ?? []) as readonly string[],
        type,
        epsg,
        status,
        bbox,
        limit: all ? Number.POSITIVE_INFINITY : limit,
      }
      return runSearch({ api, filters, options: asked }, options as ServerSettings, terminal)
    }),
}
