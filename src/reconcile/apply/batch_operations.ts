import { problem } from '../../contract/problems.ts'
import { maxListedDeletions } from '../../contract/routes/batch.ts'
import type { PreparedSource } from '../../transfer/prepare_source.ts'
import type { Change, Plan, Step } from '../model/change.ts'
import {
  type Body,
  type BodyContext,
  listRenamed,
  writeBody,
  writePreparedBody,
  writeRename,
} from './request_body.ts'
import { addFiles, type FileUploads } from './upload_files.ts'

/** An operation of a batch. Created resources are referenced by their key. */
export type Operation =
  | { readonly op: 'create'; readonly name: string; readonly id?: number; readonly body: Body }
  | { readonly op: 'update'; readonly id: number; readonly if_version?: number; readonly body: Body }
  | {
      readonly op: 'delete'
      readonly id: number
      readonly if_version?: number
      readonly if_deletes?: { id: number; data_version?: number }[]
    }

/** Input of the operations. */
export interface OperationsInput {
  readonly plan: Plan
  /** Steps in execution order. */
  readonly steps: readonly Step[]
  /** Prepared data by change. */
  readonly sources: ReadonlyMap<Change, PreparedSource>
  /** Uploads of files by change. */
  readonly uploads?: ReadonlyMap<Change, FileUploads> | undefined
}

/**
 * Writes the steps of a plan as operations of a batch, one per step. The first operation on a resource requires the
 * planned version; references to created resources are keys.
 */
export function writeOperations({ plan, steps, ...prepared }: OperationsInput): Operation[] {
  const created = new Set(steps.filter(isCreation).map(({ change }) => change.key))
  const context: BodyContext = {
    plan,
    renamed: listRenamed({ steps }),
    findResource: (key) => plan.ids.get(key) ?? (created.has(key) ? key : undefined),
  }
  const touched = new Set<number>()
  return steps.map((step) => {
    const { change } = step
    if (isCreation(step)) return creationOf(change, bodyOf(change, context, prepared))
    const target = step.below === undefined ? targetOf(change, touched) : { id: step.below.id }
    if (step.kind === 'delete') return { op: 'delete', ...target, ...expectedOf(change) }
    const body = step.kind === 'rename' ? writeRename(step) : bodyOf(change, context, prepared)
    return { op: 'update', ...target, body }
  })
}

const expectedOf = ({ deletes }: Change) =>
  deletes === undefined || deletes.length > maxListedDeletions
    ? {}
    : {
        if_deletes: deletes.map(({ id, dataVersion }) => ({
          ...{ id },
          ...(dataVersion === undefined ? {} : { data_version: dataVersion }),
        })),
      }

const creationOf = ({ key, formerId }: Change, body: Body): Operation => ({
  ...{ op: 'create', name: key, body },
  ...(formerId === undefined ? {} : { id: formerId }),
})

const isCreation = ({ kind, change }: Step) => kind === 'write' && isCreated(change)

/** Reports whether a change creates a resource. */
export function isCreated({ action }: Pick<Change, 'action'>): boolean {
  return action === 'create' || action === 'replace'
}

// An earlier operation of the batch changes the version.
function targetOf({ id = 0, version }: Change, touched: Set<number>): { id: number; if_version?: number } {
  const first = !touched.has(id)
  touched.add(id)
  return first && version !== undefined ? { id, if_version: version } : { id }
}

type Prepared = Pick<OperationsInput, 'sources' | 'uploads'>

function bodyOf(change: Change, context: BodyContext, { sources, uploads }: Prepared): Body {
  const source = sources.get(change)
  const body = source === undefined ? writeBody(change, context) : writePreparedBody(change, context, source)
  return addFiles(body, change, uploads?.get(change))
}

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
