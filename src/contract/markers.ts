/**
 * Metadata items that tell, on the resource itself, who manages it. They are hidden from diffs and kept by every
 * write.
 */
export const markerKeys = {
  /** Manifest that manages the resource, and the resource's own id: a copy on another resource is void. */
  manager: 'landform.manager',
  /** True where deleting is refused. */
  protect: 'landform.protect',
  /** What the data were made of, and the layer version that came of it. */
  source: 'landform.source',
} as const

/** Tells whether a metadata key is one of ours. */
export function isMarkerKey(key: string): boolean {
  return key.startsWith('landform.')
}

/** Who manages a resource. */
export interface ManagerMarker {
  readonly manifest: string
  /** Id of the resource it stands on; 0 in a request that creates the resource: the server fills it in. */
  readonly id: number
}

/** Writes the manager marker: `world/17`. */
export function formatManager({ manifest, id }: ManagerMarker): string {
  return `${manifest}/${id}`
}

/** Reads a manager marker; undefined where it is none. */
export function findManager(value: unknown): ManagerMarker | undefined {
  if (typeof value !== 'string') return undefined
  const slash = value.indexOf('/')
  const digits = value.slice(slash + 1)
  return slash > 0 && /^\d+$/.test(digits)
    ? { manifest: value.slice(0, slash), id: Number(digits) }
    : undefined
}

/** What a layer's data were made of. */
export interface SourceMarker {
  /** SHA-256 of the source's bytes and the load options, in hexadecimal. */
  readonly digest: string
  /** `data_version` of the layer right after the load. */
  readonly version: number
  /** Rows of the source, where the load counted them. */
  readonly rows?: SourceRows
}

/** Rows that a load read, and those of them that went to the quarantine. */
export interface SourceRows {
  readonly read: number
  readonly quarantined: number
}

/** Writes the source marker: `sha256-…@3`, or `sha256-…@3 rows=1999 quarantined=5`. */
export function formatSource({ digest, version, rows }: SourceMarker): string {
  const counts = rows === undefined ? '' : ` rows=${rows.read} quarantined=${rows.quarantined}`
  return `sha256-${digest}@${version}${counts}`
}

const sourcePattern = /^sha256-([0-9a-f]{64})@(\d+)(?: rows=(\d+) quarantined=(\d+))?$/

/** Reads a source marker; undefined where the value is not one. */
export function findSource(value: unknown): SourceMarker | undefined {
  const match = typeof value === 'string' ? sourcePattern.exec(value) : null
  if (match === null) return undefined
  const [, digest = '', version, read, quarantined] = match
  const rows = read === undefined ? {} : { rows: { read: Number(read), quarantined: Number(quarantined) } }
  return { digest, version: Number(version), ...rows }
}
