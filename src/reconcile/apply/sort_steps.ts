import { problem } from '../../contract/problems.ts'
import type { Step } from '../model/change.ts'

/**
 * Sorts steps so that each comes after those it waits for, and deletions last: as one list that is done from top to
 * bottom. What may be done side by side stands together by kind and class.
 *
 * @throws {Problem} apply/failed where steps wait for each other
 */
export function sortSteps(steps: readonly Step[]): Step[] {
  return (['first', 'last'] as const).flatMap((phase) =>
    sortPhase(steps.filter((step) => step.phase === phase)),
  )
}

function sortPhase(steps: readonly Step[]): Step[] {
  const open = new Map<string, number>(steps.map((step) => [step.id, 0]))
  const waiting = new Map<string, Step[]>()
  for (const step of steps)
    for (const id of step.after.filter((one) => open.has(one))) {
      open.set(step.id, (open.get(step.id) ?? 0) + 1)
      const others = waiting.get(id)
      if (others === undefined) waiting.set(id, [step])
      else others.push(step)
    }
  const levels: Step[][] = []
  let due = steps.filter(({ id }) => open.get(id) === 0)
  while (due.length > 0) {
    levels.push(groupAlike(due))
    due = due.flatMap((step) => release(waiting.get(step.id) ?? [], open))
  }
  const sorted = levels.flat()
  if (sorted.length < steps.length) throw circle(steps.filter(({ id }) => (open.get(id) ?? 0) > 0))
  return sorted
}

function release(next: readonly Step[], open: Map<string, number>): Step[] {
  return next.filter(({ id }) => {
    const left = (open.get(id) ?? 1) - 1
    open.set(id, left)
    return left === 0
  })
}

const groupAlike = (steps: readonly Step[]) =>
  [...Map.groupBy(steps, ({ kind, change }) => `${kind} ${change.action} ${change.cls}`).values()].flat()

function circle(steps: readonly Step[]) {
  const keys = [...new Set(steps.map(({ change }) => `"${change.key}"`))]
  return problem('apply/failed', `The changes of ${keys.join(', ')} wait for each other.`, {
    hint: 'Take one of the references or moves out, apply, and put it back.',
  })
}
