import { createHash } from 'node:crypto'
import { type GeometryType, geometryParts } from '../contract/geometry.ts'
import type { Issue } from '../core/issue.ts'
import type { WantedResource } from '../manifest/manifest.ts'
import type { ActualResource } from './actual.ts'
import type { DataLoad } from './change.ts'
import { issueAt } from './match.ts'

/** What the source file of a layer holds now. */
export interface SourceFile {
  /** SHA-256 of its bytes, in hexadecimal. */
  readonly sha256: string
  readonly sizeBytes: number
}

/** What is to be done about the data of a layer. */
export interface SourceDecision {
  readonly load?: DataLoad
  readonly issue?: Issue
  /** The features of the resource have to be counted before anything can be decided. */
  readonly uncounted?: true
}

/** What a decision about data rests on. */
export interface SourceQuestion {
  readonly wanted: WantedResource
  /** Undefined where the layer is created anew. */
  readonly actual: ActualResource | undefined
  readonly file: SourceFile
  /** Number of features, where it was asked; null where it cannot be known. */
  readonly count: number | null | undefined
  readonly reload: boolean
}

/** Gives the options a source is loaded with; a geometry type of the block says what to cast to. */
export function loadOptionsOf({ data, members }: WantedResource): Readonly<Record<string, unknown>> {
  const type = members.vector_layer?.geometry_type as GeometryType | undefined
  if (type === undefined) return data?.options ?? {}
  const { family, isMulti, hasZ } = geometryParts(type)
  return { cast_geometry_type: family, cast_is_multi: isMulti, cast_has_z: hasZ, ...data?.options }
}

/** Computes the digest that the source marker holds: of the file's bytes and of how they are loaded. */
export function sourceDigest(sha256: string, options: Readonly<Record<string, unknown>>): string {
  const sorted = Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(`${sha256}\n${JSON.stringify(sorted)}`)
    .digest('hex')
}

/**
 * Decides whether a layer's source is loaded: when it differs from what the marker on the server says, or the data
 * have changed since. A marker that is lost means unknown: asked, never loaded over what is there.
 */
export function decideSource(question: SourceQuestion): SourceDecision {
  const { wanted, actual, file, reload } = question
  if (actual === undefined) return { load: loadOf(question, 'new') }
  if (reload) return { load: loadOf(question, 'told to') }
  const { source, dataVersion } = actual
  if (source === undefined) return decideUnmarked(question)
  if (source.digest !== sourceDigest(file.sha256, loadOptionsOf(wanted)))
    return { load: loadOf(question, 'source changed') }
  if (dataVersion !== undefined && dataVersion !== source.version)
    return { load: loadOf(question, 'data changed on the server') }
  return {}
}

function decideUnmarked(question: SourceQuestion): SourceDecision {
  const { wanted, actual, count } = question
  if (actual?.resmeta !== undefined && count === undefined) return { uncounted: true }
  if (actual?.resmeta !== undefined && count === 0) return { load: loadOf(question, 'new') }
  const what = typeof count === 'number' ? `holds ${count} features` : 'holds data'
  const message = `"${wanted.key}" ${what}, and nothing on the server says what they were made of; they stay as they are`
  return {
    issue: {
      ...issueAt(wanted, 'plan/data-unknown', message, '/data'),
      severity: 'warning',
      hint: `to replace them: --reload ${wanted.key}`,
    },
  }
}

function loadOf({ wanted, actual, file }: SourceQuestion, reason: DataLoad['reason']): DataLoad {
  return {
    path: wanted.data?.path ?? '',
    source: wanted.data?.source ?? '',
    options: loadOptionsOf(wanted),
    sizeBytes: file.sizeBytes,
    version: actual === undefined ? 1 : (actual.dataVersion ?? 0) + 1,
    reason,
  }
}
