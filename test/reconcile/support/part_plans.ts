import type { Api } from '../../../src/api/api.ts'
import type { Manifest } from '../../../src/manifest/manifest.ts'
import type { Plan } from '../../../src/reconcile/model/change.ts'
import { type PlanOptions, safeOptions } from '../../../src/reconcile/model/plan_input.ts'
import { planFrom } from '../../../src/reconcile/plan/plan_manifest.ts'
import { liveReader, type PlanReader } from '../../../src/reconcile/plan/plan_reader.ts'

/** A plan without the resources that it read. */
export type ComparablePlan = Omit<Plan, 'before'>

/** What follows from parts of a server, and from all of it. */
export interface BothWays<T> {
  readonly part: T
  readonly whole: T
  /** Reads of the first, with their resources, such as `part 6`. */
  readonly reads: readonly string[]
}

/** Plans as the commands do, and counts the reads of the tree; then plans against all resources. */
export async function planBothWays(
  api: Api,
  manifest: Manifest,
  more: Partial<PlanOptions> = {},
): Promise<BothWays<ComparablePlan>> {
  const options = { ...safeOptions, ...more }
  return readBothWays(api, async (reader) => {
    const { before: _, ...plan } = await planFrom({ reader, manifest, options, readsPart: true })
    return plan
  })
}

/** Computes something from parts of a server, and counts the reads of the tree; then from all resources. */
export async function readBothWays<T>(
  api: Api,
  compute: (reader: PlanReader) => Promise<T>,
): Promise<BothWays<T>> {
  const reads: string[] = []
  const { readPart, ...wholeReader } = liveReader(api, undefined)
  const part = await compute(
    countReads({ ...wholeReader, ...(readPart === undefined ? {} : { readPart }) }, reads),
  )
  return { part, whole: await compute(wholeReader), reads }
}

function countReads(reader: PlanReader, reads: string[]): PlanReader {
  const counted = async <T>(name: string, read: (count: () => void) => Promise<T>) => {
    let resources = 0
    const result = await read(() => {
      resources += 1
    })
    reads.push(`${name} ${resources}`)
    return result
  }
  const { readTree, readPart } = reader
  if (readPart === undefined) throw new Error('the reader reads no part')
  return {
    ...reader,
    readTree: (take) =>
      counted('all', (count) =>
        readTree((one) => {
          count()
          take(one)
        }),
      ),
    readPart: (part, take) =>
      counted('part', (count) =>
        readPart(part, (one) => {
          count()
          take(one)
        }),
      ),
  }
}
