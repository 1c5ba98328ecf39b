import type { Api } from '../../api/api.ts'
import { readLines } from '../../api/read_lines.ts'
import {
  type CumulativeStatus,
  cumulativeStatuses,
  type GeoserviceStatus,
} from '../../contract/catalog/catalog.ts'
import type { GeoserviceRecord } from '../../contract/catalog/catalog_edit.ts'
import { problem } from '../../contract/problems.ts'
import { joinFirst, showNumber } from '../../core/count.ts'
import { findHint } from '../../core/suggest.ts'
import { readRecords } from '../../reconcile/catalog/read_records.ts'
import type { CommandSpec } from '../command.ts'
import { eventOptions } from '../options.ts'
import { withServer } from '../principals.ts'
import { writeEvent } from '../print/events.ts'
import { formatColumns, plainLine } from '../print/text_format.ts'
import { type Terminal, writeLine } from '../terminal.ts'
import { nameInterruption } from './interruption.ts'

/** Result of a check, as the server streams it. */
type CheckLine = Omit<GeoserviceStatus, 'id' | 'check_at'>

interface CheckRequest {
  /** Keys, names, guids or ids of geoservices; all if empty. */
  readonly names: readonly string[]
  readonly json: boolean
  /** Whether a service that does not work changes the exit code. */
  readonly exitCode: boolean
}

async function checkServices(
  api: Api,
  { names, json, exitCode }: CheckRequest,
  terminal: Terminal,
): Promise<number> {
  const { geoservices } = await readRecords(api, terminal.interrupt)
  const chosen = names.map((name) => findService(geoservices, name).id)
  const body = names.length === 0 ? {} : { geoservices: chosen }
  const known = new Map(geoservices.map((service) => [service.id, service]))
  const counts: Record<CumulativeStatus, number> = { works: 0, problematic: 0, failed: 0 }
  const faults: string[][] = []
  const open = new Map(names.length === 0 ? known : chosen.map((id) => [id, known.get(id)]))
  const { body: lines } = await api.open('catalog.check', { body, signal: terminal.interrupt })
  for await (const line of readLines(lines)) {
    const result = JSON.parse(line) as CheckLine
    const { guid, keyname = null, name } = known.get(result.geoservice) ?? {}
    counts[result.cumulative_status] += 1
    open.delete(result.geoservice)
    if (json) writeEvent(terminal.out, 'check', { check: { ...result, guid, keyname, name } })
    else if (result.cumulative_status !== 'works') faults.push(rowOf(result, name))
  }
  if (!json && faults.length > 0)
    writeLine(terminal.out, formatColumns(['ID', 'STATUS', 'NAME', 'REASON'], faults))
  if (!json) writeLine(terminal.err, describeCounts(counts))
  if (open.size > 0) writeLine(terminal.err, describeOpen([...open.values()]))
  return exitCode && counts.problematic + counts.failed + open.size > 0 ? 2 : 0
}

/** Describes services without a result: another run is checking them, or they were deleted in the meantime. */
function describeOpen(services: readonly (GeoserviceRecord | undefined)[]): string {
  const names = services.map((service) => plainLine(service?.name ?? ''))
  return `${showNumber(services.length)} without a result, because another check of them is running: ${joinFirst(names)}. Repeat the command when it has ended.`
}

function rowOf(result: CheckLine, name = ''): string[] {
  const { geoservice, cumulative_status: status, error_type: type, error_text: text } = result
  const reason = [type, text].filter((part) => part !== null && part !== '').join(': ')
  return [String(geoservice), status, plainLine(name), plainLine(reason)]
}

function describeCounts(counts: Readonly<Record<CumulativeStatus, number>>): string {
  const labels = { works: 'working', problematic: 'problematic', failed: 'failed' } as const
  return cumulativeStatuses.map((status) => `${showNumber(counts[status])} ${labels[status]}`).join(', ')
}

/** Finds a geoservice by key, guid, name or id. */
function findService(all: readonly GeoserviceRecord[], text: string): GeoserviceRecord {
  const found =
    all.find(({ keyname }) => keyname === text) ??
    all.find(({ guid }) => guid === text.toLowerCase()) ??
    all.find(({ name }) => name === text) ??
    all.find(({ id }) => String(id) === text)
  if (found !== undefined) return found
  const hint = findHint(
    text,
    all.flatMap(({ keyname, name }) => [keyname ?? name, name]),
  )
  throw problem(
    'catalog/not-found',
    `The catalog has no geoservice "${text}".`,
    hint === undefined ? {} : { hint },
  )
}

/** The command `catalog check`. */
export const checkCommand: CommandSpec = {
  name: 'check',
  summary: 'check geoservices of the catalog now, and list those that do not work',
  notes: [
    'The server requests each service, one request to a host at a time, and stores the results. It refuses addresses in private networks unless --catalog-check-host of the server allows them.',
  ],
  examples: ['landform catalog check', 'landform catalog check streets relief --exit-code'],
  declare: (command) =>
    eventOptions(
      command.argument('[services...]', 'keys, names, guids or ids of geoservices; all if absent'),
    ).option('--exit-code', 'exit with 2 if a service does not work'),
  run: async ({ arguments: [names], options }, terminal) => {
    const request = {
      names: (names ?? []) as readonly string[],
      json: options.json === true,
      exitCode: options.exitCode === true,
    }
    let exit = 0
    await withServer(options, terminal, async (api) => {
      exit = await nameInterruption(
        checkServices(api, request, terminal),
        'The check was interrupted; the server keeps the results so far.',
      )
    })
    return exit
  },
}
