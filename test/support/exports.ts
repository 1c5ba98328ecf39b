import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createTestLayer, everyDatatype } from './layers.ts'
import type { Ask, TestResponse, TestServer } from './server.ts'

/** A feature as read by GDAL; dates and times are their parts separated by spaces. */
export interface ReadFeature {
  readonly id: number
  readonly wkt: string | null
  readonly values: Readonly<Record<string, unknown>>
}

/** A layer as read by GDAL. */
export interface ReadLayer {
  readonly name: string
  /** The reference system as a PROJ string. */
  readonly srs: string | null
  readonly fields: readonly { readonly name: string; readonly type: string }[]
  readonly features: readonly ReadFeature[]
}

/** An export as read back by GDAL. */
export interface ReadExport {
  readonly driver: string
  readonly layers: readonly ReadLayer[]
}

/** Reference systems as PROJ strings. */
export const proj = {
  4326: '+proj=longlat +datum=WGS84 +no_defs',
  3857: '+proj=merc +a=6378137 +b=6378137 +lat_ts=0 +lon_0=0 +x_0=0 +y_0=0 +k=1 +units=m +nadgrids=@null +wktext +no_defs',
} as const

const program = fileURLToPath(new URL('./read_vector.ts', import.meta.url))

/** File name in the Content-Disposition header of a response. */
export function fileNameOf(answer: Pick<TestResponse, 'headers'>): string {
  return /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1] ?? ''
}

/** Exports a layer and reads it back with GDAL; throws the body of an error response. */
export async function readExport(ask: Ask, id: number, query: string): Promise<ReadExport> {
  const answer = await ask('GET', `/api/resource/${id}/export?${query}`)
  if (answer.status !== 200) throw new Error(await answer.text())
  return readBytes(fileNameOf(answer), Buffer.from(await answer.arrayBuffer()))
}

/** Name of the first file of a ZIP archive. @see APPNOTE.TXT 6.3, clause 4.3.7 */
export function firstEntry(archive: Uint8Array): string {
  const bytes = Buffer.from(archive)
  return bytes.toString('utf8', 30, 30 + bytes.readUInt16LE(26))
}

/** Reads a file with GDAL. */
export async function readBytes(name: string, bytes: Uint8Array): Promise<ReadExport> {
  const folder = await mkdtemp(join(tmpdir(), 'landform-export-'))
  try {
    const path = join(folder, name)
    await writeFile(path, bytes)
    const source = name.endsWith('.zip') ? `/vsizip/${path}/${firstEntry(bytes)}` : path
    const { stdout } = await promisify(execFile)(process.execPath, [program, source], { maxBuffer: 2 ** 28 })
    return JSON.parse(stdout) as ReadExport
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Creates a point layer with a field of every datatype, and features in EPSG:4326. */
export async function createLayerOf(
  server: TestServer,
  name: string,
  features: readonly object[],
): Promise<number> {
  const fields = everyDatatype
  const id = await createTestLayer(server.database, { name, geometryType: 'POINT', fields })
  const path = `/api/resource/${id}/feature/?dt_format=iso&srs=4326`
  const answer = await server.admin('PATCH', path, features)
  if (answer.status !== 200) throw new Error(await answer.text())
  return id
}
