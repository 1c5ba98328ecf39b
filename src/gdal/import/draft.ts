import type { GeometryParts } from '../../contract/geometry.ts'
import type { WireLayout } from '../runner/vector_job.ts'
import type { FeatureScan, Features, GoodFeature } from './feature_scan.ts'
import { layoutOf, type ReadingPlan } from './reading_plan.ts'
import { type RowSender, type RowWriter, startRows } from './row_writer.ts'

/** Receiver of rows, in the order of the calls, which need not wait for each other. */
export interface DraftSink extends RowSender {
  /** Declares the layout of the rows that follow. Earlier rows must be discarded. */
  layout(layout: WireLayout): Promise<void>
}

/** Rows that are sent while the source is still scanned, with the types it declares. */
export interface Draft {
  /** Adds a valid feature; returns a promise if the caller has to wait. */
  add(good: GoodFeature, scan: FeatureScan): Promise<void> | undefined
  /** Tells whether all rows were sent with the geometry type of the layer. */
  matches(geometry: GeometryParts): boolean
  /** Sends the remaining rows; returns by column whether a row had a value in it. */
  end(): Promise<Uint8Array | undefined>
}

/** Starts sending rows; undefined if their types are known only after a scan of all features. */
export function startDraft(
  plan: ReadingPlan,
  { columns, reader }: Pick<Features, 'columns' | 'reader'>,
  sink: DraftSink,
): Draft | undefined {
  const { source, job } = plan
  const geometry = findGeometry(plan)
  if (
    geometry === undefined ||
    // The encoding of the strings is known only after all of them were read.
    source.columns?.strings?.settle !== undefined ||
    columns.some(({ guess }) => guess !== undefined)
  )
    return undefined
  let isAnnounced = false
  const announce = async () => {
    if (isAnnounced) return
    isAnnounced = true
    await sink.layout({ ...layoutOf(plan, columns), geometry })
  }
  const sender: RowSender = {
    frameBytes: sink.frameBytes,
    async rows(frame) {
      // Called together, so that the caller's next frame follows both.
      await Promise.all([announce(), sink.rows(frame)])
    },
  }
  let rows: RowWriter | undefined = startRows({ ...geometry, srs: job.srs, columns, reader }, sender)
  return {
    add(good, scan) {
      // Rows of a source that is rejected, or that differs from its declaration, would be discarded.
      if (rows !== undefined && !isConsistent(scan, { geometry, job })) rows = undefined
      return rows?.add(good)
    },
    matches: ({ family, isMulti, hasZ }) =>
      rows !== undefined &&
      family === geometry.family &&
      isMulti === geometry.isMulti &&
      hasZ === geometry.hasZ,
    async end() {
      await rows?.end()
      await announce()
      return rows?.filled
    },
  }
}

/** Returns the geometry type before any feature is read; undefined if it is not declared. */
function findGeometry({ declared, job }: ReadingPlan): GeometryParts | undefined {
  const family = job.family ?? declared?.family
  const isMulti = job.isMulti ?? declared?.isMulti
  const hasZ = job.hasZ ?? declared?.hasZ
  return family === undefined || isMulti === undefined || hasZ === undefined
    ? undefined
    : { family, isMulti, hasZ }
}

interface Expected extends Pick<ReadingPlan, 'job'> {
  readonly geometry: GeometryParts
}

function isConsistent(scan: FeatureScan, { geometry, job }: Expected): boolean {
  const { families, hasMulti, hasHeights, badCount } = scan
  if (badCount > 0 && !job.skipErrors) return false
  if (families.size > 1 || !families.has(geometry.family)) return false
  return (
    (geometry.isMulti || job.isMulti !== null || !hasMulti) &&
    (geometry.hasZ || job.hasZ !== null || !hasHeights)
  )
}
