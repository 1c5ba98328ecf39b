import type { CatalogKind, CatalogOperation } from '../../contract/catalog/catalog_edit.ts'
import type { Change, Plan, Step } from '../model/change.ts'
import { toWire } from '../model/value_equality.ts'
import { memberSchemas } from './record_schema.ts'

/** Lists the steps of changes to records, in their order: icons come first, deletions last. */
export function listRecordSteps(changes: readonly Change[]): Step[] {
  const created = new Set(
    changes.filter((one) => one.record === 'icon' && isCreated(one)).map(({ key }) => key),
  )
  return changes.flatMap((change): Step[] => {
    const id = `${change.record}:${change.key}`
    const deletion = { id: `delete:${id}`, kind: 'delete', change, after: [] } as const
    if (change.action === 'delete') return [{ ...deletion, phase: 'last' }]
    const { icon } = change.body.geoservice ?? {}
    const after = [
      ...(typeof icon === 'string' && created.has(icon) ? [`write:icon:${icon}`] : []),
      ...(change.action === 'replace' ? [deletion.id] : []),
    ]
    const write = { id: `write:${id}`, kind: 'write', change, after, phase: 'first' } as const
    return change.action === 'replace' ? [{ ...deletion, phase: 'first' }, write] : [write]
  })
}

const isCreated = ({ action }: Change) => action === 'create' || action === 'replace'

/** Steps to write as operations. */
export interface RecordOperationsInput {
  readonly plan: Pick<Plan, 'icons'>
  readonly steps: readonly Step[]
  /** Images in base64, by change. */
  readonly images: ReadonlyMap<Change, string>
}

/** Writes steps as operations of a batch, one per step. Created icons are referenced by their key. */
export function writeRecordOperations({ plan, steps, images }: RecordOperationsInput): CatalogOperation[] {
  return steps.map(({ kind: step, change }): CatalogOperation => {
    const { id, version, key } = change
    const kind: CatalogKind = change.record === 'icon' ? 'icon' : 'geoservice'
    const target = {
      kind,
      ...(id === undefined ? {} : { id }),
      ...(version === undefined ? {} : { if_version: version }),
    }
    if (step === 'delete') return { op: 'delete', ...target }
    const body = bodyOf(change, kind, { plan, images })
    if (!isCreated(change)) return { op: 'update', ...target, body }
    return { op: 'create', kind, ...(kind === 'icon' ? { name: key } : {}), body }
  })
}

function bodyOf(
  change: Change,
  kind: CatalogKind,
  { plan, images }: Pick<RecordOperationsInput, 'plan' | 'images'>,
): Record<string, unknown> {
  const members = change.body[kind] ?? {}
  const schemas = memberSchemas(kind, members)
  const entries = Object.entries(members).map(([name, value]) => {
    const schema = schemas[name]
    return [
      name,
      schema === undefined ? value : toWire(schema, value, (icon) => plan.icons.get(icon) ?? icon),
    ]
  })
  const image = images.get(change)
  return { ...Object.fromEntries(entries), ...(image === undefined ? {} : { image }) }
}
