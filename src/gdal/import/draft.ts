import type { GeometryParts } from '../../contract/geometry.ts'
import type { WireLayout } from '../runner/vector_job.ts'
import type { Features, GoodFeature, Survey } from './feature_scan.ts'
import { layoutOf, type ReadingPlan } from './reading_plan.ts'
import { type RowSender, type RowWriter, startRows } from './row_writer.ts'

/** Where rows go, in the order of the calls: none has to be waited for before the next. */
export interface DraftSink extends RowSender {
  /** Says what the rows that follow are; those before were sent in vain. */
  layout(layout: WireLayout): Promise<void>
}

/** Rows that are sent while their source is still looked at, as what it declares itself to be. */
export interface Draft {
  /** Takes a feature that was found good; gives a promise where it is to be waited for. */
  add(good: GoodFeature, survey: Survey): Promise<void> | undefined
  /** Tells whether the rows are what they are to be, all of them. */
  standsFor(geometry: GeometryParts): boolean
  /** Sends what was not sent yet. */
  end(): Promise<void>
}

/** Starts to send rows; gives undefined where it takes a look at all features to know what they are. */
export function startDraft(
  plan: ReadingPlan,
  { columns, reader }: Pick<Features, 'columns' | 'reader'>,
  sink: DraftSink,
): Draft | undefined {
  const { source, job } = plan
  const geometry = findGeometry(plan)
  if (
    geometry === undefined ||
    // What texts are is known once all of them were read.
    source.columns?.texts?.settle !== undefined ||
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
      // Both at once: whatever is sent next, by whomever, is to come behind them.
      await Promise.all([announce(), sink.rows(frame)])
    },
  }
  let rows: RowWriter | undefined = startRows({ ...geometry, srs: job.srs, columns, reader }, sender)
  return {
    add(good, survey) {
      // Nobody is to wait for rows of a source that is refused, or of something else than was said.
      if (rows !== undefined && !isTrue(survey, { geometry, job })) rows = undefined
      return rows?.add(good)
    },
    standsFor: ({ family, isMulti, hasZ }) =>
      rows !== undefined &&
      family === geometry.family &&
      isMulti === geometry.isMulti &&
      hasZ === geometry.hasZ,
    async end() {
      await rows?.end()
      await announce()
    },
  }
}

/** What the geometries are before any was seen; undefined where nobody says it. */
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

function isTrue(survey: Survey, { geometry, job }: Expected): boolean {
  const { families, hasMulti, hasHeights, badCount } = survey
  if (badCount > 0 && !job.skipErrors) return false
  if (families.size > 1 || !families.has(geometry.family)) return false
  return (
    (geometry.isMulti || job.isMulti !== null || !hasMulti) &&
    (geometry.hasZ || job.hasZ !== null || !hasHeights)
  )
}
