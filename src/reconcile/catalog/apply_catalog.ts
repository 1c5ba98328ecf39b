import { readFile } from 'node:fs/promises'
import type { CatalogRecords } from '../../api/read_catalog.ts'
import type { CatalogKind, CatalogOperation } from '../../contract/catalog/catalog_edit.ts'
import { problem } from '../../contract/problems.ts'
import type { Problem } from '../../core/problem.ts'
import { loadTimeoutMs } from '../../transfer/prepare_source.ts'
import { problemOfFile } from '../../transfer/upload_file.ts'
import { applyBatch, type BatchTarget } from '../apply/apply_batch.ts'
import type { ApplyOptions } from '../apply/apply_options.ts'
import type { Report } from '../apply/outcome.ts'
import { asProblem } from '../apply/schedule_steps.ts'
import { type OperationResult, sendOnce } from '../apply/send_batch.ts'
import { findStale, stale, staleHint } from '../apply/stale.ts'
import type { Change, Plan, Step } from '../model/change.ts'
import { toWire } from '../model/value_equality.ts'
import { type ActualRecord, indexCatalog } from './actual_catalog.ts'
import { readRecords } from './read_records.ts'
import { memberSchemas } from './record_schema.ts'

const isCreated = ({ action }: Change) => action === 'create' || action === 'replace'

/** Steps to write as operations. */
interface RecordOperationsInput {
  readonly plan: Pick<Plan, 'icons'>
  readonly steps: readonly Step[]
  /** Images in base64, by change. */
  readonly images: ReadonlyMap<Change, string>
}

/**
 * Applies the changes to records of the catalog in one transaction. A failure rolls back everything; with `partial`, stale
 * changes and their dependents are skipped.
 */
export async function applyCatalog(options: ApplyOptions): Promise<Report> {
  const steps = listRecordSteps(options.plan.changes)
  const { images, faults } = await readImages(options.plan.changes)
  return applyBatch({ options, target: catalogTarget(options, images), steps, sources: new Map(), faults })
}

async function readImages(changes: readonly Change[]) {
  const images = new Map<Change, string>()
  const faults = new Map<Change, Problem>()
  for (const change of changes) {
    if (change.image === undefined) continue
    const { path } = change.image
    try {
      images.set(change, (await readFile(path)).toString('base64'))
    } catch (error) {
      faults.set(change, asProblem(problemOfFile(path, error)))
    }
  }
  return { images, faults }
}

function catalogTarget(options: ApplyOptions, images: ReadonlyMap<Change, string>): BatchTarget {
  const { api, plan, partial, breakOff, signal } = options
  return {
    send: (steps) => {
      const operations = writeRecordOperations({ plan, steps, images })
      return sendOnce({
        signal: breakOff,
        send: (key) =>
          api.call('catalog.batch', {
            body: { operations },
            key,
            signal: breakOff,
            timeoutMs: loadTimeoutMs,
          }),
        findResults: async () => findRecordResults(operations, await readRecords(api, breakOff)),
      })
    },
    explain: async (fault, step) => explain(fault, step, partial),
    explainBatch,
    findStale: async (changes) => findStaleRecords(changes, await readRecords(api, signal)),
  }
}

function explain(fault: Problem, { change }: Step, partial: boolean | undefined): Problem {
  const hint = staleHint(partial)
  if (fault.code === 'catalog/stale') return stale(change, 'changed', hint)
  if (fault.code === 'catalog/not-found' && change.id !== undefined) return stale(change, 'deleted', hint)
  const { location } = fault.data as { readonly location?: readonly unknown[] }
  const isKey = fault.code === 'catalog/name-taken' && location?.[1] === '/keyname'
  return isKey ? stale(change, 'created', hint) : fault
}

function explainBatch(fault: Problem): Problem {
  const { code, message, data } = fault
  if (code !== 'request/too-large') return fault
  return problem(code, message, {
    hint: 'Use smaller images, or apply the files of the manifest in turn.',
    data,
  })
}

function findStaleRecords(changes: readonly Change[], records: CatalogRecords): Map<Change, Problem> {
  const actual = indexCatalog(records)
  const found = new Map<Change, Problem>()
  for (const kind of ['icon', 'geoservice'] as const) {
    const own = changes.filter(({ record }) => record === kind)
    for (const [change, fault] of findStale(own, { byId: actual[kind] })) found.set(change, fault)
  }
  return found
}

/** Finds the results of a batch after a lost response; undefined if it was not executed. */
export function findRecordResults(
  operations: readonly CatalogOperation[],
  records: CatalogRecords,
): OperationResult[] | undefined {
  const actual = indexCatalog(records)
  const names = {
    icon: new Map([...actual.icon.values()].map((one) => [one.name, one] as const)),
    geoservice: new Map([...actual.geoservice.values()].map((one) => [one.name, one] as const)),
  }
  const done = operations.map((operation) => {
    const { op, kind, id = 0, body } = operation
    if (op === 'create') return isMade(names[kind].get(String(body?.name)), operation)
    const there = actual[kind].get(id)
    if (op === 'delete') return there === undefined ? id : undefined
    return there !== undefined && there.version > (operation.if_version ?? there.version) ? id : undefined
  })
  return done.every((id) => id !== undefined) ? done.map((id) => ({ id })) : undefined
}

// Names are unique, and were free when the plan was made.
function isMade(there: ActualRecord | undefined, { body }: CatalogOperation): number | undefined {
  const { keyname = null, manifest = null } = body ?? {}
  return there !== undefined && there.keyname === keyname && there.manifest === manifest
    ? there.id
    : undefined
}

/** Lists the steps of changes to records, in their order: icons come first, deletions last. */
function listRecordSteps(changes: readonly Change[]): Step[] {
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

/** Writes steps as operations of a batch, one per step. Created icons are referenced by their key. */
function writeRecordOperations({ plan, steps, images }: RecordOperationsInput): CatalogOperation[] {
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
