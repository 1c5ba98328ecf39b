import type { Api } from '../../../src/api/api.ts'
import type { Manifest } from '../../../src/manifest/manifest.ts'
import type { Plan } from '../../../src/reconcile/model/change.ts'
import { type PlanOptions, safeOptions } from '../../../src/reconcile/model/plan_input.ts'
import { planFrom } from '../../../src/reconcile/plan/plan_manifest.ts'
import { liveReader, type PlanReader } from '../../../src/reconcile/plan/plan_reader.ts'

/** A plan without the resources that it read. */
export type ComparablePlan = Omit<Plan, 'before'>

/** Plans of a manifest against a part of the server and against all of it. */
export interface PartPlans {
  readonly part: ComparablePlan
  readonly whole: ComparablePlan
  /** Reads of the first plan, with their resources, such as `part 6`. */
  readonly reads: readonly string[]
}

/** Plans as the commands do, and counts the reads of the tree; then plans against all resources. */
export async function planBothWays(
  api: Api,
  manifest: Manifest,
  more: Partial<PlanOptions> = {},
): Promise<PartPlans> {
  const reads: string[] = []
  const options = { ...safeOptions, ...more }
  const reader = countReads(liveReader(api, undefined), reads)
  const { before: _, ...part } = await planFrom({ reader, manifest, options, readsPart: true })
  const { before: __, ...whole } = await planFrom({ reader: liveReader(api, undefined), manifest, options })
  return { part, whole, reads }
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
