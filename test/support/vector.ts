import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ReadOptions, type RowSet, readVector } from '../../src/gdal/read_vector.ts'
import type { RowLayout, SourceSummary, VectorJob } from '../../src/gdal/runner/vector_job.ts'

/** Loads all there is as it is, and refuses what is bad. */
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

/** What was read. */
export interface ReadVector {
  /** What was found, with what the rows are that were sent last. */
  readonly summary: SourceSummary & RowLayout & { readonly layout: RowLayout }
  /** Bytes of all rows. */
  readonly bytes: number
  /** How many times rows were sent: once more than in vain. */
  readonly times: number
}

/** Takes the rows of a source, and does nothing with them. Gives their bytes. */
export async function passOver({ copies }: RowSet): Promise<number> {
  let bytes = 0
  for await (const copy of copies) for await (const chunk of copy) bytes += chunk.length
  return bytes
}

/** How a reading is watched. */
export interface Watched {
  readonly options?: ReadOptions
  readonly onRows?: (rows: RowSet) => void
}

/** Reads a file of the given name in a folder that is gone afterwards. */
export async function readFileAs(
  name: string,
  content: Uint8Array | string,
  { options = {}, onRows, ...rules }: Partial<VectorJob> & Watched = {},
): Promise<ReadVector> {
  const folder = await mkdtemp(join(tmpdir(), 'landform-vector-'))
  try {
    // As the store of files does: a name that says nothing.
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
      bytes = await passOver(rows)
    }
    const limits = { unpackLimitBytes: 1 << 30, pieceBytes: 1 << 20 }
    const summary = await readVector({ ...job, ...limits, ...rules }, take, options)
    if (layout === undefined) throw new Error('no rows were sent')
    return { summary: { ...layout, ...summary, layout }, bytes, times }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Writes features as GeoJSON: geometries, each with the properties beside it. */
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

/** A GeoJSON polygon of one ring. */
export function polygon(ring: readonly (readonly number[])[]): object {
  return { type: 'Polygon', coordinates: [ring] }
}

/** Numbers of the running children of this process that read with GDAL. @see proc(5) */
export function findGdalChildren(): number[] {
  const pids = readdirSync('/proc/self/task').flatMap((thread) =>
    readFileSync(`/proc/self/task/${thread}/children`, 'utf8').trim().split(' '),
  )
  return pids
    .filter((pid) => pid !== '' && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('gdal/child'))
    .map(Number)
}
