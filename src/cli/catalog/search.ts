import { InvalidArgumentError, Option } from 'commander'
import type { Api } from '../../api/api.ts'
import {
  catalogLimits,
  cumulativeStatuses,
  type GeoserviceItem,
  geoserviceTypes,
} from '../../contract/catalog.ts'
import { problem } from '../../contract/problems.ts'
import { isProblem } from '../../core/problem.ts'
import { formatBox } from '../../geo/boundary.ts'
import type { CommandSpec } from '../command.ts'
import { eventOptions, parseCount } from '../options.ts'
import { withServer } from '../principals.ts'
import { writeEvent } from '../print/events.ts'
import { formatColumns, plainLine, showCount, showNumber } from '../print/text_format.ts'
import { writeLine } from '../terminal.ts'

/** Filters of a search; absent ones do not filter. */
export interface SearchFilters {
  readonly words: readonly string[]
  readonly type?: string | undefined
  readonly epsg?: number | undefined
  readonly status?: string | undefined
  /** Box as WKT. */
  readonly bbox?: string | undefined
  readonly limit: number
}

/** Geoservices of a search, and the number of all that match. */
export interface SearchResult {
  readonly count: number
  readonly results: readonly GeoserviceItem[]
}

/**
 * Searches the catalog of a server through its public API.
 *
 * @throws {Problem} catalog/absent if the server has no catalog at its address
 */
export async function searchCatalog(
  api: Api,
  { words, type, epsg, status, bbox, limit }: SearchFilters,
): Promise<SearchResult> {
  const query = {
    search: words.join(' '),
    limit: String(limit),
    ...(type === undefined ? {} : { type }),
    ...(epsg === undefined ? {} : { epsg: String(epsg) }),
    ...(status === undefined ? {} : { cumulative_status: status }),
    ...(bbox === undefined ? {} : { intersects_boundary: bbox }),
  }
  try {
    const found = await api.call('catalog.geoservices', { query })
    return Array.isArray(found) ? { count: found.length, results: found } : found
  } catch (error) {
    if (!isProblem(error) || ![404, 501].includes(error.status ?? 0)) throw error
    throw problem('catalog/absent', `${api.url} has no catalog of geoservices.`, {
      hint: 'Check --server: the catalog may have an address of its own.',
    })
  }
}

function formatResult({ results }: SearchResult): string {
  const rows = results.map(({ id, type, epsg, cumulative_status: status, name }) => [
    String(id),
    type,
    epsg === null ? '-' : String(epsg),
    status ?? 'unchecked',
    plainLine(name),
  ])
  return formatColumns(['ID', 'TYPE', 'EPSG', 'STATUS', 'NAME'], rows)
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

function parseLimit(text: string): number {
  const limit = parseCount(text)
  if (limit > catalogLimits.page) throw new InvalidArgumentError(`The maximum is ${catalogLimits.page}.`)
  return limit
}

const defaultLimit = 50

/** The command `catalog search`. */
export const searchCommand: CommandSpec = {
  name: 'search',
  summary: 'list geoservices of the catalog whose name or description has all words',
  examples: [
    'landform catalog search',
    'landform catalog search satellite --type tms --epsg 3857 --status works',
    'landform catalog search --bbox 10,59,11,60 --limit 500 --json',
  ],
  declare: (command) =>
    eventOptions(command.argument('[words...]', 'words in the name or the description'))
      .addOption(new Option('--type <type>', 'type of the services').choices([...geoserviceTypes]))
      .option('--epsg <code>', 'EPSG code', parseCount)
      .addOption(new Option('--status <status>', 'result of the last check').choices([...cumulativeStatuses]))
      .option('--bbox <box>', 'area in degrees that the services cover: west,south,east,north', parseBox)
      .option('--limit <count>', `maximum number of services (default: ${defaultLimit})`, parseLimit),
  run: ({ arguments: [words], options }, terminal) =>
    withServer(options, terminal, async (api) => {
      const {
        limit = defaultLimit,
        json,
        ...filters
      } = options as Partial<SearchFilters> & { json?: boolean }
      const found = await searchCatalog(api, { ...filters, limit, words: (words ?? []) as readonly string[] })
      const { count, results } = found
      if (json === true)
        for (const geoservice of results) writeEvent(terminal.out, 'geoservice', { geoservice })
      else if (results.length > 0) writeLine(terminal.out, formatResult(found))
      const more = count > results.length ? `${showNumber(results.length)} of ` : ''
      if (json !== true) writeLine(terminal.err, `${more}${showCount(count, 'geoservice')}`)
    }),
}
