import PQueue from 'p-queue'
import { catalogLimits } from '../../../contract/catalog/catalog.ts'
import { problem } from '../../../contract/problems.ts'
import { isObject } from '../../../core/is_object.ts'
import { isProblem } from '../../../core/problem.ts'
import { createExternalClient, type ExternalClient } from '../../../http/external_client.ts'
import type { ImportRow, ImportRows } from './import_row.ts'

/** Maximum number of concurrent requests to another catalog. */
const maxRequests = 8
const connectTimeoutMs = 10_000
const timeoutMs = 60_000
/** Maximum size of a response. A list may be complete, whatever page is asked for. */
const limitBytes = 64 * 2 ** 20

interface Source {
  readonly client: ExternalClient
  /** URL of the root of the API, with a trailing slash. */
  readonly root: string
  readonly signal: AbortSignal
}

type Members = Readonly<Record<string, unknown>>

/**
 * Reads all geoservices of another catalog: its list by pages, then the details, several at a time. Icons are named by
 * `icon_guid` and `icon_name`, because their ids mean nothing elsewhere.
 *
 * @param address URL of the catalog, with or without `/api/v1/`
 * @throws {Problem} external/*, catalog/absent, pipeline/interrupted
 */
export async function readRemote(address: URL, signal: AbortSignal): Promise<ImportRows> {
  const path = address.pathname.replace(/\/api\/v1(?:\/.*)?$/, '').replace(/\/+$/, '')
  // The address is that of a user of this machine, who may reach every network that the machine reaches.
  const client = createExternalClient({ connectTimeoutMs, allowsPrivate: () => true })
  const source = { client, root: `${address.origin}${path}/api/v1/`, signal }
  try {
    const items = await listRecords(source, 'geoservices')
    const icons = await listIcons(source)
    const queue = new PQueue({ concurrency: maxRequests })
    const details = items.map(
      ({ id }) =>
        () =>
          readDetail(source, Number(id)),
    )
    const rows = await queue.addAll(details).finally(() => queue.clear())
    return { rows: rows.map((row) => nameIcon(row, icons)), issues: [] }
  } finally {
    await client.close()
  }
}

/** Tells whether the source of an import is the address of a catalog. */
export function isAddress(source: string): boolean {
  return /^https?:\/\//i.test(source) && URL.canParse(source)
}

async function readDetail(source: Source, id: number): Promise<ImportRow> {
  const url = `${source.root}geoservices/${id}/`
  const members = await readJson(source, url)
  if (!isObject(members)) throw problem('external/answer', `${url} did not return a geoservice.`)
  const span = { file: url, line: 1, column: 1, endLine: 1, endColumn: 2 }
  return { members, pointer: '', spanOf: () => span }
}

function nameIcon(row: ImportRow, icons: ReadonlyMap<unknown, Members>): ImportRow {
  const icon = icons.get(row.members.icon)
  if (icon === undefined) return row
  return { ...row, members: { ...row.members, icon_guid: icon.guid, icon_name: icon.name } }
}

async function listIcons(source: Source): Promise<ReadonlyMap<unknown, Members>> {
  try {
    return new Map((await listRecords(source, 'icons')).map((icon) => [icon.id, icon] as const))
  } catch (error) {
    // Services without icons are better than none.
    if (isProblem(error, 'catalog/absent')) return new Map()
    throw error
  }
}

/** Reads the pages of a list; a server that does not know pages sends the complete list. */
async function listRecords(source: Source, name: 'geoservices' | 'icons'): Promise<Members[]> {
  const records = new Map<number, Members>()
  for (;;) {
    const url = `${source.root}${name}/?limit=${catalogLimits.page}&offset=${records.size}`
    const page = await readJson(source, url)
    const list = isObject(page) ? page.results : page
    if (!Array.isArray(list)) throw absent(source)
    const before = records.size
    for (const item of list) {
      if (!isObject(item) || !Number.isSafeInteger(item.id)) throw absent(source)
      records.set(Number(item.id), item)
    }
    if (records.size > catalogLimits.records)
      throw problem('external/answer', `${source.root} has more than ${catalogLimits.records} ${name}.`)
    const isLast = !isObject(page) || records.size === before || records.size >= Number(page.count)
    if (isLast) return [...records.values()]
  }
}

async function readJson(source: Source, url: string): Promise<unknown> {
  const { client, signal } = source
  return client.get({ url: new URL(url), timeoutMs, limitBytes, signal }, async ({ status, body }) => {
    if (status === 404) throw absent(source)
    if (status !== 200) throw problem('external/answer', `${url} returned status ${status}.`)
    const chunks: Uint8Array[] = []
    for await (const chunk of body) chunks.push(chunk)
    try {
      return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown
    } catch {
      throw absent(source)
    }
  })
}

function absent({ root }: Source) {
  return problem('catalog/absent', `There is no catalog of geoservices at ${root}.`, {
    hint: 'Use the address of the catalog, such as https://qms.example.org.',
  })
}
