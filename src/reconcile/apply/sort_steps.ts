import { problem } from '../../contract/problems.ts'
import type { Step } from '../model/change.ts'

/**
 * Sorts steps by dependencies, with deletions last. Independent steps are grouped by kind and class.
 *
 * @throws {Problem} apply/failed if steps depend on each other
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
  if (sorted.length < steps.length) throw cycleProblem(steps.filter(({ id }) => (open.get(id) ?? 0) > 0))
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

function cycleProblem(steps: readonly Step[]) {
  const keys = [...new Set(steps.map(({ change }) => `"${change.key}"`))]
  return problem(
    'apply/failed',
    `Cannot order the changes of ${keys.join(', ')}: they depend on each other.`,
    {
      hint: 'Remove one of the references or moves, apply, and add it again.',
    },
  )
}
