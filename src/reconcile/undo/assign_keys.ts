import type { JournalChange } from '../../contract/bodies/journal.ts'
import { isCls } from '../../contract/registry.ts'
import type { ActualResource, ActualTree } from '../model/actual_tree.ts'
import { createKeyMaker } from '../pull/slug.ts'

/**
 * Returns the keys of resources that an undo restores, by id. Those of resources without a keyname, which only name them in the plan,
 * are the keys that the journal has, or follow from display names.
 */
export function assignKeys(
  before: ReadonlyMap<number, { readonly resource: ActualResource }>,
  actual: ActualTree,
  applied: readonly JournalChange[],
): Map<number, string> {
  const keynameOf = ({ id, keyname }: ActualResource) => keyname ?? actual.byId.get(id)?.keyname
  const keynames = new Set([...before.values()].map(({ resource }) => keynameOf(resource)))
  const used = new Set<string>()
  const isTaken = (key: string) => keynames.has(key) || used.has(key) || actual.byKeyname.has(key)
  const maker = createKeyMaker(isTaken)
  // Deletions are recorded with an id instead of a key.
  const recorded = new Map(
    applied.flatMap(({ id, key, cls }) =>
      id == null || !isCls(cls) || key.startsWith('#') ? [] : [[id, key]],
    ),
  )
  const nameOf = ({ id, displayName, cls }: ActualResource) => {
    const key = recorded.get(id)
    const name = key === undefined || isTaken(key) ? maker.make(displayName, `${cls}_${id}`) : key
    used.add(name)
    return name
  }
  return new Map([...before].map(([id, { resource }]) => [id, keynameOf(resource) ?? nameOf(resource)]))
}
