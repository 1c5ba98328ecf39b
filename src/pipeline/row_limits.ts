import { problem } from '../contract/problems.ts'
import { countOf } from '../core/count.ts'
import type { Problem } from '../core/problem.ts'
import { defaultLossFuse, type LossLimits } from '../transfer/data_loss.ts'
import type { ImportPipeline } from './pipeline_schema.ts'
import type { BadRow, Quarantine } from './quarantine.ts'
import type { RunContext } from './run_context.ts'
import type { LayerReport } from './run_event.ts'

/** Number of rows of a source, and of its quarantined rows. */
export interface RowCounts {
  /** Keyname of the target layer. */
  readonly layer: string
  readonly read: number
  readonly quarantined: number
  /** First bad rows, as examples. */
  readonly first: readonly BadRow[]
  /** File with the bad rows, if it was written. */
  readonly file: string | undefined
}

/**
 * Checks the number of rows and of bad rows of a source against the limits of a pipeline.
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
  const message = `${quarantined} of ${rows(read)} for "${layer}" ${quarantined === 1 ? 'is' : 'are'} bad; the limit is ${limit}.`
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

/** Tells whether the number of bad rows exceeds a limit: a number, or a percentage of the rows such as `0.5%`. */
function isOverLimit(bad: number, read: number, limit: number | string): boolean {
  if (typeof limit === 'number') return bad > limit
  return bad > (read * Number(limit.slice(0, -1))) / 100
}

/** Returns the loss limits of a load. A minimum number of rows in the pipeline replaces the default limit. */
export function limitsOf(
  { to, check }: Pick<ImportPipeline, 'to' | 'check'>,
  { allowLoss }: RunContext,
): LossLimits | undefined {
  if (to.allow_loss === true || allowLoss?.has(to.layer)) return undefined
  const fuse = check?.rows?.minimum === undefined ? defaultLossFuse : 1
  const hint = `Check the source. If the loss is intended: --allow-loss ${to.layer}, or to: { allow_loss: true }.`
  return { fuse, hint }
}

/** Returns the quarantined rows of a source, for the report. */
export function quarantineReport({ first, file }: Quarantine): NonNullable<LayerReport['quarantine']> {
  const path = file()
  return { first: first(), ...(path === undefined ? {} : { file: path }) }
}
