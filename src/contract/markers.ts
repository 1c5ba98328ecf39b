/**
 * Metadata items of a resource that record which manifest manages it. Diffs hide them and every write preserves them.
 */
export const markerKeys = {
  /** Manifest that manages the resource, and the id of the resource. A copy on another resource is ignored. */
  manager: 'landform.manager',
  /** Prefix of the items that record the fields that a manifest sets, see `formatFieldMark`; the id of the manifest follows. */
  fields: 'landform.fields.',
  /** Whether deletion is rejected. */
  protect: 'landform.protect',
  /** Digest of the source of the data, and the resulting version of the layer. */
  source: 'landform.source',
  /** Key of the resource and the one before, see `formatKeyRecord`. */
  key: 'landform.key',
} as const

/** Tells whether a metadata key is a marker. */
export function isMarkerKey(key: string): boolean {
  return key.startsWith('landform.')
}

/** Manifest that manages a resource. */
export interface ManagerMarker {
  readonly manifest: string
  /** Id of the marked resource; 0 in a creation request, where the server sets it. */
  readonly id: number
  /** Only of earlier versions: optional blocks that the manifest sets: `description`, `permissions`, `webmap.root_item`. */
  readonly sets?: readonly string[]
}

/** Formats a manager marker: `world/17`. */
export function formatManager({ manifest, id }: Pick<ManagerMarker, 'manifest' | 'id'>): string {
  return `${manifest}/${id}`
}

/** Parses a manager marker; undefined if the value is not one. */
export function findManager(value: unknown): ManagerMarker | undefined {
  if (typeof value !== 'string') return undefined
  const [, manifest = '', id, blocks] = managerPattern.exec(value) ?? []
  if (id === undefined) return undefined
  return { manifest, id: Number(id), ...(blocks === undefined ? {} : { sets: blocks.trim().split(' ') }) }
}

const managerPattern = /^([^/]+)\/(\d+)((?: [a-z_.]+)+)?$/

/** Finds the manager marker in the metadata of a resource. Ignores one that was copied with the metadata of another resource. */
export function findOwnManager(
  id: number | undefined,
  items: Readonly<Record<string, unknown>> | undefined,
): ManagerMarker | undefined {
  const manager = findManager(items?.[markerKeys.manager])
  return manager?.id === id ? manager : undefined
}

/** Finds the name of the manifest that manages a resource, as `findOwnManager` does. */
export function findManifest(
  id: number | undefined,
  items: Readonly<Record<string, unknown>> | undefined,
): string | undefined {
  return findOwnManager(id, items)?.manifest
}

/**
 * Key that a manifest has given to a resource, and the key that it had before. Tells a rename that took place from one that has
 * not, where another block of the manifest has the former key now: keynames alone are the same before and after a swap.
 */
export interface KeyRecord {
  readonly key: string
  /** Absent if the resource was not renamed, but another block had its key before. */
  readonly was?: string
}

/** Formats a key record: `17 ["roads","streets"]`. The number is the id of the resource, 0 in a creation request. */
export function formatKeyRecord(id: number, { key, was }: KeyRecord): string {
  return `${id} ${JSON.stringify(was === undefined ? [key] : [key, was])}`
}

/** Parses a key record; undefined if the value is none, or that of another resource. */
export function findKeyRecord(id: number, value: unknown): KeyRecord | undefined {
  const [, owner, list = ''] = typeof value === 'string' ? (keyRecordPattern.exec(value) ?? []) : []
  if (owner !== String(id)) return undefined
  const [key = '', was] = parseKeys(list)
  return key === '' ? undefined : { key, ...(was === undefined ? {} : { was }) }
}

const keyRecordPattern = /^(\d+) (\[.*\])$/

function parseKeys(list: string): string[] {
  try {
    return (JSON.parse(list) as unknown[]).map(String)
  } catch {
    return []
  }
}

/** Source of the data of a layer. */
export interface SourceMarker {
  /** SHA-256 of the source and the load options, in hexadecimal. */
  readonly digest: string
  /** `data_version` of the layer right after the load. */
  readonly version: number
  /** Whether a pipeline loaded the data; otherwise a manifest did. */
  readonly pipeline?: true
  /** Rows of the source, if the pipeline counted them. */
  readonly rows?: SourceRows
}

/** Row counts of a load: rows read, and rows quarantined. */
export interface SourceRows {
  readonly read: number
  readonly quarantined: number
}

/** Formats a source marker: `sha256-…@3`, or of a pipeline `sha256-…@3 pipeline rows=1999 quarantined=5`. */
export function formatSource({ digest, version, pipeline, rows }: SourceMarker): string {
  const loader = pipeline ? ' pipeline' : ''
  const counts = rows === undefined ? '' : ` rows=${rows.read} quarantined=${rows.quarantined}`
  return `sha256-${digest}@${version}${loader}${counts}`
}

const sourcePattern = /^sha256-([0-9a-f]{64})@(\d+)( pipeline)?(?: rows=(\d+) quarantined=(\d+))?$/

/** Parses a source marker; undefined if the value is not one. */
export function findSource(value: unknown): SourceMarker | undefined {
  const match = typeof value === 'string' ? sourcePattern.exec(value) : null
  if (match === null) return undefined
  const [, digest = '', version, pipeline, read, quarantined] = match
  const rows = read === undefined ? {} : { rows: { read: Number(read), quarantined: Number(quarantined) } }
  // Only pipelines count rows.
  const isPipeline = pipeline !== undefined || read !== undefined
  return { digest, version: Number(version), ...(isPipeline ? { pipeline: true } : {}), ...rows }
}
