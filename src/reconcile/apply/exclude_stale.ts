import type { Change, Step } from '../model/change.ts'

/**
 * Finds what has to be left out of a batch together with some changes: all that waits for them, changes as a whole (a
 * resource must not keep a temporary name, nor go without coming back), and deletions, which are done only when
 * everything else is.
 *
 * @returns by change that is left out, the one it is left out for
 */
export function leaveOut(steps: readonly Step[], faulty: Iterable<Change>): Map<Change, Change> {
  const left = new Map([...faulty].map((change) => [change, change] as const))
  if (left.size === 0) return left
  const links = linkChanges(steps)
  const deletions = [...links.keys()].filter(({ action }) => action === 'delete')
  const open = [...left.keys()]
  for (let change = open.shift(); change !== undefined; change = open.shift()) {
    const because = left.get(change) ?? change
    const also = [...(links.get(change) ?? []), ...(change.action === 'delete' ? [] : deletions)]
    for (const next of also.filter((one) => !left.has(one))) {
      left.set(next, because)
      open.push(next)
    }
  }
  return left
}

/** Which changes go out with each. */
function linkChanges(steps: readonly Step[]): Map<Change, Set<Change>> {
  const byId = new Map(steps.map((step) => [step.id, step] as const))
  const links = new Map(steps.map(({ change }) => [change, new Set<Change>()] as const))
  for (const { change, after } of steps)
    for (const id of after) {
      const before = byId.get(id)
      if (before === undefined || before.change === change) continue
      links.get(before.change)?.add(change)
      // What stands below something that is made anew goes with the old one: it has to come back with the new one.
      if (before.kind === 'delete' && change.action === 'replace') links.get(change)?.add(before.change)
    }
  return links
}
