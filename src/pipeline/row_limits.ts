import { problem } from '../contract/problems.ts'
import { countOf } from '../core/count.ts'
import type { Problem } from '../core/problem.ts'
import type { ImportPipeline } from './pipeline_schema.ts'
import type { BadRow } from './quarantine.ts'

/** Rows of a source, and those of them that went to the quarantine. */
export interface RowCounts {
  /** Keyname of the layer they are for. */
  readonly layer: string
  readonly read: number
  readonly quarantined: number
  /** The first few bad rows. */
  readonly first: readonly BadRow[]
  /** File that holds the bad rows, where there is one. */
  readonly file: string | undefined
}

/**
 * Checks the number of rows of a source, and of the bad ones among them, against the limits of a pipeline.
 *
 * @throws {Problem} pipeline/rows, pipeline/quarantine
 */
export function checkRows({ check, quarantine }: ImportPipeline, counts: RowCounts): void {
  const { layer, read, quarantined } = counts
  const { minimum = 0, maximum = Number.POSITIVE_INFINITY } = check?.rows ?? {}
  if (read < minimum || read > maximum) {
    const bound =
      read < minimum ? `fewer than check.rows.minimum ${minimum}` : `more than check.rows.maximum ${maximum}`
    const bad = quarantined === 0 ? '' : ` (${quarantined} bad)`
    throw refusal('pipeline/rows', `The source for "${layer}" has ${rows(read)}${bad}, ${bound}.`, counts)
  }
  const limit = quarantine?.limit ?? 0
  if (!isOverLimit(quarantined, read, limit)) return
  const message = `${quarantined} of ${rows(read)} for "${layer}" ${quarantined === 1 ? 'is' : 'are'} bad, the limit is ${limit}.`
  throw refusal('pipeline/quarantine', message, counts, { limit })
}

const rows = (count: number) => countOf(count, 'row')

function refusal(
  ...[code, message, counts, more = {}]: [
    code: 'pipeline/rows' | 'pipeline/quarantine',
    message: string,
    counts: RowCounts,
    more?: Readonly<Record<string, unknown>>,
  ]
): Problem {
  const { layer, read, quarantined, first, file } = counts
  const examples = first.map(({ line, reason }) => `- line ${line}: ${reason}`)
  return problem(code, `${message} Nothing was loaded.`, {
    ...(examples.length === 0 ? {} : { detail: examples.join('\n') }),
    ...(code === 'pipeline/rows' ? {} : { hint: adviceFor(file) }),
    data: { layer, read, loaded: 0, quarantined, ...more, ...(file === undefined ? {} : { file }) },
  })
}

function adviceFor(file: string | undefined): string {
  if (file !== undefined) return `Correct the rows listed in ${file}, or raise quarantine.limit.`
  return 'Correct the rows, or raise quarantine.limit; quarantine.file keeps the bad rows.'
}

/** Tells whether so many bad rows are past the limit: a number, or a part of the rows such as `0.5%`. */
function isOverLimit(bad: number, read: number, limit: number | string): boolean {
  if (typeof limit === 'number') return bad > limit
  return bad > (read * Number(limit.slice(0, -1))) / 100
}
