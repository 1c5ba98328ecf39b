import { joinWords } from '../../../core/count.ts'
import type { Issue } from '../../../core/issue.ts'
import type { WantedResource } from '../../../manifest/manifest.ts'
import type { ActualResource } from '../../model/actual_tree.ts'
import type { PlanInput } from '../../model/plan_input.ts'
import { loadOptionsOf, sourceDigest } from '../data/decide_load.ts'
import { type DiffContext, diffResource } from '../diff.ts'
import { contextOf } from '../diff_context.ts'
import { issueAt } from '../issue_at.ts'
import type { ResourceMatch } from './match.ts'

/** A block with `was:` whose rename is complete. */
interface SpentBlock {
  readonly wanted: WantedResource
  /** The resource with the key of the block. */
  readonly there: ActualResource
  /** The resource with the former key of the block. */
  readonly former: ActualResource
}

/**
 * Refuses a plan that would exchange the content of resources, because the manifest gives swapped keys back while `was:` is still
 * there. Such a rename is complete, and only the content of the blocks tells that it is wanted again: they differ less from the
 * resources with their former keys. Pure.
 */
export function checkExchanged(input: PlanInput, match: ResourceMatch): Issue[] {
  const cycles = listCycles(input, match)
  if (cycles.length === 0) return []
  const present = contextOf(input, match, new Set())
  const exchanged = contextOf(input, exchangePairs(match, cycles.flat()), new Set())
  return cycles.flatMap((cycle) => {
    const kept = cycle.map(({ wanted, there }) => countDifferences(input, { wanted, there }, present))
    const given = cycle.map(({ wanted, former }) =>
      countDifferences(input, { wanted, there: former }, exchanged),
    )
    return sum(given) < sum(kept) ? reportExchange(cycle) : []
  })
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)

/** Lists the cycles of blocks that have each other's former keys, and whose renames are complete. */
function listCycles({ manifest: { resources } }: PlanInput, { pairs }: ResourceMatch): SpentBlock[][] {
  const seen = new Set<string>()
  return [...resources.values()].flatMap((start) => {
    const cycle: SpentBlock[] = []
    for (let at: WantedResource | undefined = start; at !== undefined && !seen.has(at.key); ) {
      seen.add(at.key)
      const { key, was = '', existing } = at
      const [there, former] = [pairs.get(key), pairs.get(was)]
      if (existing || there?.keyname !== key || former === undefined) return []
      cycle.push({ wanted: at, there, former })
      at = resources.get(was)
    }
    return cycle.at(-1)?.wanted.was === start.key ? [cycle] : []
  })
}

/** Matches the blocks with the resources that have their former keys. */
function exchangePairs(match: ResourceMatch, blocks: readonly SpentBlock[]): ResourceMatch {
  const moved = blocks.map(({ wanted, former }) => [wanted.key, former] as const)
  return {
    ...match,
    pairs: new Map([...match.pairs, ...moved]),
    keyOf: new Map([...match.keyOf, ...moved.map(([key, { id }]) => [id, key] as const)]),
  }
}

/** More than any number of differences of resources of the same class. */
const otherClass = 1_000_000

/** Counts the fields in which a resource differs from a block, keys aside; its data is one of them. */
function countDifferences(
  { files }: PlanInput,
  { wanted, there }: Pick<SpentBlock, 'wanted' | 'there'>,
  context: DiffContext,
): number {
  if (wanted.cls !== there.cls) return otherClass
  const file = files.get(wanted.key)
  const digest = file && sourceDigest(file.sha256, loadOptionsOf(wanted))
  const fields = diffResource(wanted, there, context).edits.filter(({ pointer }) => pointer !== '/keyname')
  return fields.length + (digest === undefined || digest === there.source?.digest ? 0 : 1)
}

function reportExchange(cycle: readonly SpentBlock[]): Issue[] {
  const [first] = cycle
  if (first === undefined) return []
  const keys = joinWords(cycle.map(({ wanted }) => `"${wanted.key}"`))
  const places = joinWords(cycle.map(({ wanted, there }) => `"${wanted.key}" (resource ${there.id})`))
  const message = `the plan would exchange the content of ${places}, instead of their keys: the rename that was: describes is complete`
  const hint = `To give the keys back, apply the manifest as it was before, without was: of ${keys}; then apply this one. To exchange the content, remove was: of ${keys}.`
  return [{ ...issueAt(first.wanted, 'plan/ambiguous', message, '/was'), hint }]
}
