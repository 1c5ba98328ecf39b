import type { ResourceContents } from '../../api/read_contents.ts'
import { hasFeatures, isCls } from '../../contract/registry.ts'
import { countFiles } from '../model/actual_files.ts'
import { type ActualResource, type ActualTree, labelOf, listDescendants } from '../model/actual_tree.ts'
import type { Deletion, LastChange, TakenResource, Takes } from '../model/takes.ts'

/** What is known of the contents of resources, by id. */
export interface KnownContents {
  /** Number of features by layer; absent if not yet requested, null if the server cannot count them. */
  readonly counts: ReadonlyMap<number, number | null>
  /** Absent if not yet requested, null if the server does not tell. */
  readonly contents?: ReadonlyMap<number, ResourceContents | null> | undefined
}

/** Input for counting what a deletion removes. */
export interface TakesInput extends KnownContents {
  readonly manifestId: string
  readonly actual: ActualTree
  /** Ids of resources that the manifest keeps; they move out before their ancestors are deleted. */
  readonly kept: ReadonlySet<number>
  /** Ids of resources of the manifest. */
  readonly named?: ReadonlySet<number>
}

/** What must be read before it is known what deletions remove. */
export interface UnreadContents {
  /** Layers whose features have not been counted. */
  readonly uncounted: readonly number[]
  /** Resources whose contents have not been read. */
  readonly unread: readonly number[]
}

/** Describes what a deletion removes: the resource itself and its descendants, except resources that the manifest keeps. */
export function countTakes(input: TakesInput, id: number): Takes {
  const { actual, contents } = input
  const below = listDescendants(actual, id, input.kept)
  const going = [id, ...below].flatMap((one) => actual.byId.get(one) ?? [])
  const features = sumKnown(going.filter(isLayer).map((one) => input.counts.get(one.id) ?? undefined))
  const files = going.reduce((sum, one) => sum + countFiles(one), 0)
  const holdings = going.map((one) => contents?.get(one.id))
  const attachments = sumKnown(going.flatMap((one, at) => (isLayer(one) ? [holdings[at]?.attachments] : [])))
  const bytes = sumKnown(holdings.map((one) => one?.bytes))
  const changed = findLastChange(going, holdings)
  return {
    resources: below.length,
    ...(below.length === 0 ? {} : { below: going.slice(1).map((one) => describeTaken(input, one)) }),
    unmanaged: listUnmanaged(input, id).map((one) => labelById(actual, one)),
    features,
    ...(files === 0 ? {} : { files }),
    ...(attachments ? { attachments } : {}),
    ...(bytes === undefined ? {} : { bytes }),
    ...(changed === undefined ? {} : { changed }),
  }
}

/** Lists what a deletion removes, with the versions that it is based on. */
export function listDeletions({ actual, kept }: Pick<TakesInput, 'actual' | 'kept'>, id: number): Deletion[] {
  return [id, ...listDescendants(actual, id, kept)].flatMap((one) => {
    const resource = actual.byId.get(one)
    if (resource === undefined) return []
    const { dataVersion } = resource
    return { id: one, key: labelOf(resource), ...(dataVersion === undefined ? {} : { dataVersion }) }
  })
}

/** Sums numbers; undefined if one of them is unknown. */
function sumKnown(numbers: readonly (number | undefined)[]): number | undefined {
  return numbers.every((one) => one !== undefined) ? numbers.reduce((sum, one) => sum + one, 0) : undefined
}

function describeTaken({ counts, contents }: KnownContents, resource: ActualResource): TakenResource {
  const { id, cls, displayName } = resource
  const files = countFiles(resource)
  const { attachments, bytes } = contents?.get(id) ?? {}
  const features = isLayer(resource) ? (counts.get(id) ?? undefined) : undefined
  return {
    ...{ id, key: labelOf(resource), cls, display_name: displayName },
    ...(features === undefined ? {} : { features }),
    ...(files === 0 ? {} : { files }),
    ...(attachments ? { attachments } : {}),
    ...(bytes === undefined ? {} : { bytes }),
  }
}

function findLastChange(
  going: readonly ActualResource[],
  holdings: readonly (ResourceContents | null | undefined)[],
): LastChange | undefined {
  let last: LastChange | undefined
  for (const [at, resource] of going.entries()) {
    const { changed, user } = holdings[at] ?? {}
    if (changed === undefined) return undefined
    if (last === undefined || changed > last.at)
      last = { key: labelOf(resource), at: changed, by: user ?? null }
  }
  return last
}

/** Lists the descendants that a deletion removes although the manifest does not manage them. */
export function listUnmanaged(
  { actual, kept, manifestId, named }: Pick<TakesInput, 'actual' | 'kept' | 'manifestId' | 'named'>,
  id: number,
): number[] {
  return listDescendants(actual, id, kept).filter(
    (one) => actual.byId.get(one)?.manager !== manifestId && !named?.has(one),
  )
}

/** Lists what has not been read of a resource and of those below it. */
export function listUnreadContents(
  { actual, counts, contents, kept }: Pick<TakesInput, 'actual' | 'counts' | 'contents' | 'kept'>,
  { id }: Pick<ActualResource, 'id'>,
): UnreadContents {
  const going = [id, ...listDescendants(actual, id, kept)].flatMap((one) => actual.byId.get(one) ?? [])
  return {
    uncounted: going.filter((one) => isLayer(one) && !counts.has(one.id)).map((one) => one.id),
    unread: going.filter((one) => contents?.has(one.id) !== true).map((one) => one.id),
  }
}

const isLayer = ({ cls }: ActualResource) => isCls(cls) && hasFeatures(cls)

/** Returns the label of a resource by its id. */
export function labelById(actual: ActualTree, id: number): string {
  const resource = actual.byId.get(id)
  return resource === undefined ? `#${id}` : labelOf(resource)
}
