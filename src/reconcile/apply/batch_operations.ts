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

/** One operation of a batch, as on the wire; what it creates goes by its key until it has an id. */
export type Operation =
  | { readonly op: 'create'; readonly name: string; readonly body: Body }
  | { readonly op: 'update'; readonly id: number; readonly if_version?: number; readonly body: Body }
  | { readonly op: 'delete'; readonly id: number; readonly if_version?: number }

/** What operations are written from. */
export interface OperationsInput {
  readonly plan: Plan
  /** Steps in the order they are done. */
  readonly steps: readonly Step[]
  /** Data of the changes that have some. */
  readonly sources: ReadonlyMap<Change, PreparedSource>
}

/**
 * Writes the steps of a plan as operations of one batch, one a step. The first one on a resource names the version that
 * the plan was made from; what is created refers to others that are by their keys.
 */
export function writeOperations({ plan, steps, sources }: OperationsInput): Operation[] {
  const made = new Set(steps.filter(isCreation).map(({ change }) => change.key))
  const context: BodyContext = {
    plan,
    renamed: listRenamed({ steps }),
    findResource: (key) => plan.ids.get(key) ?? (made.has(key) ? key : undefined),
  }
  const touched = new Set<number>()
  return steps.map((step) => {
    const { change, temporaryName } = step
    if (isCreation(step)) return { op: 'create', name: change.key, body: bodyOf(change, context, sources) }
    const target = targetOf(change, touched)
    if (step.kind === 'delete') return { op: 'delete', ...target }
    const body =
      temporaryName === undefined ? bodyOf(change, context, sources) : writeRename(change, temporaryName)
    return { op: 'update', ...target, body }
  })
}

const isCreation = ({ kind, change }: Step) => kind === 'write' && isCreated(change)

/** Tells whether a change makes a resource that was not there before. */
export function isCreated({ action }: Pick<Change, 'action'>): boolean {
  return action === 'create' || action === 'replace'
}

// What an earlier operation of the batch has changed has another version by then.
function targetOf({ id = 0, version }: Change, touched: Set<number>): { id: number; if_version?: number } {
  const first = !touched.has(id)
  touched.add(id)
  return first && version !== undefined ? { id, if_version: version } : { id }
}

function bodyOf(change: Change, context: BodyContext, sources: OperationsInput['sources']): Body {
  const source = sources.get(change)
  return source === undefined ? writeBody(change, context) : writePreparedBody(change, context, source)
}
