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

/** An operation of a batch. Created resources are referenced by their key. */
export type Operation =
  | { readonly op: 'create'; readonly name: string; readonly body: Body }
  | { readonly op: 'update'; readonly id: number; readonly if_version?: number; readonly body: Body }
  | { readonly op: 'delete'; readonly id: number; readonly if_version?: number }

/** Input of the operations. */
export interface OperationsInput {
  readonly plan: Plan
  /** Steps in execution order. */
  readonly steps: readonly Step[]
  /** Prepared data by change. */
  readonly sources: ReadonlyMap<Change, PreparedSource>
}

/**
 * Writes the steps of a plan as operations of a batch, one per step. The first operation on a resource requires the
 * planned version; references to created resources are keys.
 */
export function writeOperations({ plan, steps, sources }: OperationsInput): Operation[] {
  const created = new Set(steps.filter(isCreation).map(({ change }) => change.key))
  const context: BodyContext = {
    plan,
    renamed: listRenamed({ steps }),
    findResource: (key) => plan.ids.get(key) ?? (created.has(key) ? key : undefined),
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

function bodyOf(change: Change, context: BodyContext, sources: OperationsInput['sources']): Body {
  const source = sources.get(change)
  return source === undefined ? writeBody(change, context) : writePreparedBody(change, context, source)
}
