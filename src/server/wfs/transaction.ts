import { problem } from '../../contract/problems.ts'
import type { Database, Queryable } from '../../database/database.ts'
import { OwsFault } from '../../ogc/ows_fault.ts'
import {
  defaultSrs,
  type FeatureType,
  featureIdOf,
  findFeatureType,
  readSrsName,
  withLayer,
} from '../../ogc/wfs/feature_type.ts'
import { type FilterScope, resolveFilter } from '../../ogc/wfs/resolve_filter.ts'
import type { TransactionAction } from '../../ogc/wfs/transaction_action.ts'
import type { TransactionResult } from '../../ogc/wfs/transaction_response.ts'
import type { WfsProtocol } from '../../ogc/wfs/wfs_protocol.ts'
import type { WfsService } from '../../ogc/wfs/wfs_service.ts'
import { findPermissionMasks } from '../../store/access/effective_permission.ts'
import type { FeatureFilter } from '../../store/feature/feature_filter.ts'
import { requireSrs } from '../../store/feature/feature_sql.ts'
import { isForeign } from '../../store/feature/feature_table.ts'
import { checkFilterCost } from '../../store/feature/filter_cost.ts'
import { countFeatures, findMatchingIds } from '../../store/feature/layer_extent.ts'
import { deleteFeatures, insertFeatures, updateFeatures } from '../../store/feature/write_features.ts'
import { ensureFeatureTable } from '../../store/layer/layer_table.ts'
import { touchLayer, untouchLayer, type WritableLayer } from '../../store/layer/stored_layer.ts'
import { recordDataChange } from '../../store/resource/last_change.ts'
import { getLayer } from '../features/open_layer.ts'
import { findDatabase } from '../geodb/geodb_session.ts'
import { checkMask } from '../resource/require_permission.ts'
import { findNorthFirst } from './north_first.ts'
import type { WfsHttpRequest } from './published_service.ts'
import { completeContent, type PlacedContent, readWritten } from './written_feature.ts'

/** Maximum number of features in a statement, and approximate maximum of WKT characters. */
const batchLimit = { features: 1000, characters: 8 * 2 ** 20 }

/** Maximum number of actions, where each feature to insert counts. */
const maxActions = 1_000_000

/** A transaction of a request. */
export interface TransactionRequest {
  readonly http: WfsHttpRequest
  readonly service: WfsService
  readonly protocol: WfsProtocol
  readonly actions: AsyncIterator<TransactionAction, unknown>
}

/**
 * Runs the actions of a transaction in order, in one transaction of the database: all of them, or none.
 *
 * @throws {OwsFault}, {Problem} access/denied, and problems of the database
 */
export async function runTransaction(request: TransactionRequest): Promise<TransactionResult> {
  const first = await request.actions.next()
  if (first.done === true) return { inserted: [], updated: 0, replaced: 0, deleted: 0 }
  const { http, service } = request
  const { context, signal } = http
  const { layer } = findFeatureType(service.types, first.value.typeName)
  const northFirst = await findNorthFirst(context.database)
  const work = async (tx: Queryable, isOwn: boolean) => {
    const run = new Run(request, { tx, isOwn, northFirst, connectionId: layer.foreign?.connectionId })
    return run.all(first.value)
  }
  const database = await findDatabase(context, layer)
  if (!isForeign(layer)) return (await transact(database, signal, (tx) => work(tx, true))).result
  const { result, layers } = await transact(database, signal, (tx) => work(tx, false))
  for (const id of layers) await touchLayer(context.database, id)
  await recordDataChange(context.database, { ids: layers }, http.caller.id)
  return result
}

const transact = <T>(database: Database, signal: AbortSignal, work: (tx: Queryable) => Promise<T>) =>
  database.transaction(work, { signal })

interface RunOptions {
  readonly tx: Queryable
  /** Whether the features are in the database of the server. */
  readonly isOwn: boolean
  /** The connection to the database of the features, if they are in another one. */
  readonly connectionId: number | undefined
  readonly northFirst: ReadonlySet<number>
}

/** A layer that other writers wait for. */
interface LockedLayer {
  readonly layer: WritableLayer
  isChanged: boolean
}

/** A feature type, and its layer. */
interface Target {
  readonly type: FeatureType
  readonly locked: LockedLayer
}

/** Features to insert with one statement. */
interface Batch {
  readonly target: Target
  readonly srs: number
  readonly handle: string | undefined
  readonly contents: PlacedContent[]
  characters: number
}

/** The state of a running transaction. */
class Run {
  readonly #request: TransactionRequest
  readonly #options: RunOptions
  /** Layers by resource id; several feature types may publish one. */
  readonly #layers = new Map<number, LockedLayer>()
  readonly #targets = new Map<string, Target>()
  readonly #knownSrs = new Set<number>()
  readonly #inserted: { handle: string | undefined; featureIds: string[] }[] = []
  readonly #counts = { updated: 0, replaced: 0, deleted: 0 }
  #batch: Batch | undefined

  constructor(request: TransactionRequest, options: RunOptions) {
    this.#request = request
    this.#options = options
  }

  /** Runs all actions; returns the result and the ids of the changed layers. */
  async all(first: TransactionAction) {
    await this.#apply(first)
    let count = 1
    for (;;) {
      const next = await this.#request.actions.next()
      if (next.done === true) break
      count += 1
      if (count > maxActions)
        throw new OwsFault(
          'OperationProcessingFailed',
          `The transaction has more than ${maxActions} actions.`,
        )
      await this.#apply(next.value)
    }
    await this.#flush()
    const locked = [...this.#layers]
    for (const [id, { isChanged }] of locked)
      if (!isChanged && this.#options.isOwn) await untouchLayer(this.#options.tx, id)
    const layers = locked.filter(([, { isChanged }]) => isChanged).map(([id]) => id)
    if (this.#options.isOwn)
      await recordDataChange(this.#options.tx, { ids: layers }, this.#request.http.caller.id)
    return { result: { inserted: this.#inserted, ...this.#counts }, layers }
  }

  async #apply(action: TransactionAction): Promise<void> {
    const target = await this.#open(action.typeName)
    if (action.kind === 'insert') return this.#insert(target, action)
    await this.#flush()
    const scope = this.#scopeOf(target, action)
    const expression = action.filter && resolveFilter(action.filter, scope)
    const filter: FeatureFilter = expression === undefined ? {} : { expression }
    const { locked } = target
    await checkFilterCost(expression, () => countFeatures(this.#options.tx, locked.layer))
    const ids = await findMatchingIds(this.#options.tx, locked.layer, filter)
    if (action.kind === 'delete') return this.#delete(locked, ids)
    const written = readWritten(action.properties, scope)
    if (action.kind === 'update') {
      this.#counts.updated += ids.length
      return this.#write(locked, ids, written)
    }
    this.#counts.replaced += ids.length
    return this.#write(locked, ids, completeContent(written, target.type))
  }

  async #delete(locked: LockedLayer, ids: readonly number[]): Promise<void> {
    for (const part of partsOf(ids)) await deleteFeatures(this.#options.tx, locked.layer, part)
    locked.isChanged ||= ids.length > 0
    this.#counts.deleted += ids.length
  }

  async #write(locked: LockedLayer, ids: readonly number[], content: PlacedContent): Promise<void> {
    const { layer } = locked
    const srs = await this.#srsOf(layer, content)
    for (const part of partsOf(ids, content.geom?.length)) {
      const changes = part.map((id) => ({ id, geom: content.geom, values: content.values }))
      const updated = await updateFeatures(this.#options.tx, { layer, srs }, changes)
      locked.isChanged ||= [...updated.values()].some(Boolean)
    }
  }

  async #insert(
    target: Target,
    action: Extract<TransactionAction, { readonly kind: 'insert' }>,
  ): Promise<void> {
    const content = readWritten(action.properties, this.#scopeOf(target, action))
    const srs = await this.#srsOf(target.locked.layer, content)
    const { handle } = action
    const length = content.geom?.length ?? 0
    const isSame = (batch: Batch) =>
      batch.target === target &&
      batch.srs === srs &&
      batch.handle === handle &&
      batch.contents.length < batchLimit.features &&
      batch.characters + length < batchLimit.characters
    if (this.#batch !== undefined && !isSame(this.#batch)) await this.#flush()
    this.#batch ??= { target, srs, handle, contents: [], characters: 0 }
    this.#batch.contents.push(content)
    this.#batch.characters += length
  }

  async #flush(): Promise<void> {
    const batch = this.#batch
    if (batch === undefined) return
    this.#batch = undefined
    const { target, srs, handle, contents } = batch
    const { type, locked } = target
    const ids = await insertFeatures(this.#options.tx, { layer: locked.layer, srs }, contents)
    locked.isChanged = true
    this.#inserted.push({ handle, featureIds: ids.map((id) => featureIdOf(type, id)) })
  }

  async #open(typeName: string): Promise<Target> {
    const type = findFeatureType(this.#request.service.types, typeName)
    const known = this.#targets.get(type.name)
    if (known !== undefined) return known
    const id = type.layer.resourceId
    const locked = this.#layers.get(id) ?? (await this.#lock(type))
    const target = { type: withLayer(type, locked.layer), locked }
    this.#layers.set(id, locked)
    this.#targets.set(type.name, target)
    return target
  }

  /** Locks a layer, checks the permission without the cache, and reads the layer as it is now. */
  async #lock({ name, layer: { resourceId: id, foreign } }: FeatureType): Promise<LockedLayer> {
    const { tx, isOwn, connectionId } = this.#options
    const { context, caller } = this.#request.http
    if (foreign?.connectionId !== connectionId)
      throw new OwsFault(
        'OperationProcessingFailed',
        'All layers of a transaction must be in the same database.',
        name,
      )
    const own = isOwn ? tx : context.database
    if (isOwn) await touchLayer(tx, id)
    const masks = await findPermissionMasks(own, caller, [id])
    checkMask(masks.get(id), id, 'data.write')
    const layer = await getLayer(own, id)
    if (isForeign(layer) === isOwn)
      throw problem('database/conflict', 'The layer changed while the transaction started.')
    return { layer: isForeign(layer) ? layer : await ensureFeatureTable(tx, layer), isChanged: false }
  }

  #scopeOf({ type }: Target, { srsName }: TransactionAction): FilterScope {
    const { protocol } = this.#request
    const named = srsName === undefined ? defaultSrs(type, protocol) : readSrsName(srsName)
    return { type, defaultSrs: named, northFirst: this.#options.northFirst }
  }

  /** Returns the reference system of written geometries, which the database must know. */
  async #srsOf(layer: WritableLayer, { srs = layer.srs }: PlacedContent): Promise<number> {
    if (srs !== layer.srs && !this.#knownSrs.has(srs)) await requireSrs(this.#options.tx, srs)
    this.#knownSrs.add(srs)
    return srs
  }
}

/** Divides ids into those of one statement each. */
function partsOf(ids: readonly number[], length = 0): number[][] {
  const size = Math.max(
    1,
    Math.min(batchLimit.features, Math.floor(batchLimit.characters / Math.max(1, length))),
  )
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, at) =>
    ids.slice(size * at, size * (at + 1)),
  )
}
