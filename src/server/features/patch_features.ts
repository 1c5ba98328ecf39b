import { problem } from '../../contract/problems.ts'
import { maxFeatures } from '../../contract/routes/feature.ts'
import { routes } from '../../contract/routes.ts'
import { createValidatorCompiler } from '../../contract/schema/validate.ts'
import { isProblem, withData } from '../../core/problem.ts'
import type { Queryable } from '../../database/database.ts'
import {
  deleteFeatures,
  type FeatureChange,
  insertFeatures,
  updateFeatures,
  type WriteTarget,
} from '../../store/feature/write_features.ts'
import { writeExtensionsOf } from '../attachments/attachment_extension.ts'
import { checkValue, invalidAt } from '../http/invalid_request.ts'
import { checkStorable } from '../http/json_values.ts'
import {
  effectOf,
  type FeatureBody,
  readContent,
  type WriteEffect,
  type WriteQuery,
  type WrittenFeature,
} from './feature_content.ts'
import { featureNotFound } from './open_layer.ts'

/** Maximum number of entries, and approximate maximum of WKT characters, in one statement. */
const batchLimit = { entries: 1000, characters: 8 * 2 ** 20 }

const validateEntry = createValidatorCompiler({ faults: 'first' })(routes['feature.patch'].body.items)

/**
 * Creates, changes and deletes features in order of the entries, in few statements.
 *
 * @throws {Problem} request/invalid, feature/invalid, feature/not-found; the transaction must be rolled back then
 */
export async function patchFeatures(
  tx: Queryable,
  target: WriteTarget,
  { entries, query, userId, limit = maxFeatures }: FeaturePatch,
): Promise<PatchResult> {
  const ids: number[] = []
  const effects = new Set<WriteEffect>()
  const flush = async (batch: Batch) => {
    const written = await writeBatch(tx, { target, userId }, batch)
    for (const one of effectsOf(batch, written.updated)) effects.add(one)
    for (const id of written.ids) ids.push(id)
  }
  let batch = createBatch()
  for await (const entry of entries) {
    const item = ids.length + batch.places.length
    if (item >= limit)
      throw problem('request/invalid', `The list has more than ${limit} items - at $`, {
        data: { location: ['body', ''] },
      })
    try {
      checkStorable(entry)
      checkValue(validateEntry, entry)
      addEntry(batch, target, { body: entry as FeatureBody, query })
    } catch (error) {
      throw atItem(error, item)
    }
    if (batch.places.length < batchLimit.entries && batch.characters < batchLimit.characters) continue
    await flush(batch)
    batch = createBatch()
  }
  await flush(batch)
  return { ids, effect: strongest.find((one) => effects.has(one)) ?? 'nothing' }
}

/** Changes of features. */
export interface FeaturePatch {
  readonly entries: AsyncIterable<unknown>
  readonly query: WriteQuery
  /** The user whose uploads the entries refer to. */
  readonly userId: number
  /** Maximum number of entries. @default maxFeatures */
  readonly limit?: number
}

/** Result of a patch. */
export interface PatchResult {
  /** Id of each entry, in order. */
  readonly ids: readonly number[]
  /** What the entries changed, together. */
  readonly effect: WriteEffect
}

const strongest: readonly WriteEffect[] = ['data', 'extensions']

function effectsOf(
  { created, changed, deleted }: Batch,
  updated: ReadonlyMap<number, boolean>,
): WriteEffect[] {
  if (created.length + deleted.size > 0) return ['data']
  return [...changed.values()].map((one) => effectOf(one, updated.get(one.id) === true))
}

/** What a batch wrote. */
interface WrittenBatch {
  /** Id of each entry, in order. */
  readonly ids: readonly number[]
  /** Whether the data of updated features changed, by id. */
  readonly updated: ReadonlyMap<number, boolean>
}

/** Adds the index of the item to a Problem. */
function atItem(error: unknown, item: number): unknown {
  if (!isProblem(error)) return error
  return withData(error, { item }, `item ${item}: ${error.message}`)
}

type WrittenChange = WrittenFeature & FeatureChange

interface Batch {
  readonly created: WrittenFeature[]
  /** Merged changes of each feature, in order of the entries. */
  readonly changed: Map<number, WrittenChange>
  readonly deleted: Set<number>
  /** For each entry its id, or its index among the created features. */
  readonly places: ({ readonly id: number } | { readonly created: number })[]
  characters: number
}

const createBatch = (): Batch => ({
  created: [],
  changed: new Map(),
  deleted: new Set(),
  places: [],
  characters: 0,
})

interface Entry {
  readonly body: FeatureBody
  readonly query: WriteQuery
}

function addEntry(batch: Batch, target: WriteTarget, { body, query }: Entry): void {
  const { id } = body
  if (id === undefined && body.delete === true)
    throw invalidAt('/id', 'Expected the id of the feature to delete')
  if (id !== undefined && (batch.deleted.has(id) || !Number.isSafeInteger(id)))
    throw featureNotFound(target.layer.resourceId, id)
  if (id !== undefined) batch.places.push({ id })
  if (id !== undefined && body.delete === true) {
    batch.deleted.add(id)
    return
  }
  const content = readContent(target, body, query)
  batch.characters += content.geom?.length ?? 0
  if (id === undefined) batch.places.push({ created: batch.created.push(content) - 1 })
  else batch.changed.set(id, mergeChange(batch.changed.get(id), { ...content, id }))
}

function mergeChange(before: WrittenChange | undefined, after: WrittenChange): WrittenChange {
  if (before === undefined) return after
  const geom = after.geom === undefined ? before.geom : after.geom
  const values = new Map([...before.values, ...after.values])
  return { id: after.id, geom, values, extensions: { ...before.extensions, ...after.extensions } }
}

async function writeBatch(
  tx: Queryable,
  { target, userId }: { readonly target: WriteTarget; readonly userId: number },
  batch: Batch,
): Promise<WrittenBatch> {
  const { created, changed, deleted, places } = batch
  const updated = await updateFeatures(tx, target, [...changed.values()])
  const gone = deleted.size === 0 ? new Set<number>() : await deleteFeatures(tx, target.layer, [...deleted])
  for (const place of places) {
    if ('id' in place && !updated.has(place.id) && !gone.has(place.id))
      throw featureNotFound(target.layer.resourceId, place.id)
  }
  const createdIds = await insertFeatures(tx, target, created)
  const current = [...changed.values()].filter(({ id }) => !gone.has(id))
  const extensions = [
    ...current.map((one) => [one.id, one.extensions] as const),
    ...created.map((one, at) => [createdIds[at] ?? 0, one.extensions] as const),
  ]
  await writeExtensionsOf(tx, { layer: target.layer, userId }, new Map(extensions))
  const ids = places.map((place) => ('id' in place ? place.id : (createdIds[place.created] ?? 0)))
  return { ids, updated }
}
