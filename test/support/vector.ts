import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ReadOptions, type RowSet, readVector } from '../../src/gdal/read_vector.ts'
import type { RowLayout, SourceSummary, VectorJob } from '../../src/gdal/runner/vector_job.ts'

/** Import rules that load everything unchanged and refuse faults. */
export const plainRules = {
  family: null,
  isMulti: null,
  hasZ: null,
  skipOthers: false,
  fix: 'NONE',
  skipErrors: false,
  idSource: 'SEQUENCE',
  idFields: [],
} as const

/** Result of reading a source. */
export interface ReadVector {
  /** Summary, with the layout of the rows sent last. */
  readonly summary: SourceSummary & RowLayout & { readonly layout: RowLayout }
  /** Size of all rows in bytes. */
  readonly bytes: number
  /** Number of times the rows were sent. */
  readonly times: number
}

/** Reads and discards the rows of a source; returns their size in bytes. */
export async function discardRows({ copies }: RowSet): Promise<number> {
  let bytes = 0
  for await (const copy of copies) for await (const chunk of copy) bytes += chunk.length
  return bytes
}

/** Options and callback of a read. */
export interface ReadHooks {
  readonly options?: ReadOptions
  readonly onRows?: (rows: RowSet) => void
}

/** Reads content under a file name, in a temporary folder. */
export async function readFileAs(
  name: string,
  content: Uint8Array | string,
  { options = {}, onRows, ...rules }: Partial<VectorJob> & ReadHooks = {},
): Promise<ReadVector> {
  const folder = await mkdtemp(join(tmpdir(), 'landform-vector-'))
  try {
    // Like a blob: the name does not reveal the format.
    const path = join(folder, 'blob')
    await writeFile(path, content)
    const job = {
      ...plainRules,
      path,
      name,
      folder,
      encoding: undefined,
      layer: undefined,
      wanted: undefined,
      srs: 3857,
    }
    let layout: RowLayout | undefined
    let bytes = 0
    let times = 0
    const take = async (rows: RowSet) => {
      layout = rows.layout
      onRows?.(rows)
      times += 1
      bytes = await discardRows(rows)
    }
    const limits = { unpackLimitBytes: 1 << 30, pieceBytes: 1 << 20 }
    const summary = await readVector({ ...job, ...limits, ...rules }, take, options)
    if (layout === undefined) throw new Error('no rows were sent')
    return { summary: { ...layout, ...summary, layout }, bytes, times }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Writes features with geometry and properties as GeoJSON. */
export function geojson(
  features: readonly { readonly geometry: object | null; readonly properties?: object }[],
): string {
  return JSON.stringify({
    type: 'FeatureCollection',
    features: features.map(({ geometry, properties = {} }) => ({ type: 'Feature', properties, geometry })),
  })
}

/** A GeoJSON point. */
export function point(...coordinates: number[]): object {
  return { type: 'Point', coordinates }
}

/** A GeoJSON polygon with one ring. */
export function polygon(ring: readonly (readonly number[])[]): object {
  return { type: 'Polygon', coordinates: [ring] }
}

/** PIDs of the running GDAL child processes. @see proc(5) */
export function findGdalChildren(): number[] {
  const pids = readdirSync('/proc/self/task').flatMap((thread) =>
    readFileSync(`/proc/self/task/${thread}/children`, 'utf8').trim().split(' '),
  )
  return pids
    .filter((pid) => pid !== '' && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('gdal/child'))
    .map(Number)
}
