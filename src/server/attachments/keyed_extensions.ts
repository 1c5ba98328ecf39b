import { problem } from '../../contract/problems.ts'
import type { Members } from '../../contract/registry.ts'
import { joinPointer, type Pointer } from '../../core/pointer.ts'
import type { Queryable } from '../../database/database.ts'
import { clearExtension } from '../../store/attachment/attachment.ts'
import { findFeaturesByKey } from '../../store/feature/feature_extensions.ts'
import { findLayers, type Layer } from '../../store/layer/stored_layer.ts'
import { invalidAt } from '../http/invalid_request.ts'
import { type ExtensionChange, writeExtensionsOf } from './attachment_extension.ts'

type KeyedExtensions = NonNullable<NonNullable<Members<'vector_layer'>['vector_layer']>['feature_extensions']>
type Item = KeyedExtensions['items'][number]

const place: Pointer = '/vector_layer/feature_extensions'

/**
 * Writes descriptions and attachments of features that are named by their key. The layer must be locked.
 *
 * @throws {Problem} request/invalid for a field or feature that does not exist, for a key of several features, and for bad
 *   attachments; upload/not-found
 */
export async function writeKeyedExtensions(
  tx: Queryable,
  { layerId, userId }: { readonly layerId: number; readonly userId: number },
  { key, clear = [], items }: KeyedExtensions,
): Promise<void> {
  const layer = (await findLayers(tx, [layerId])).get(layerId)
  if (layer === undefined) return
  const field = layer.fields.find(({ keyname }) => keyname === key)
  if (field === undefined)
    throw invalidAt(joinPointer(place, 'key'), `the layer has no field ${JSON.stringify(key)}`)
  for (const name of clear) await clearExtension(tx, layerId, name)
  const keys = items.map((item) => item.key)
  const ids = layer.tableName === null ? new Map() : await findFeaturesByKey(tx, layer, { field, keys })
  const changes = new Map<number, ExtensionChange>()
  for (const [at, item] of items.entries()) {
    const id = findOne(item, ids.get(item.key) ?? [], {
      key,
      pointer: joinPointer(place, 'items', at, 'key'),
    })
    if (id !== undefined) changes.set(id, changeOf(item))
  }
  await writeExtensionsOf(tx, { layer, userId }, changes)
}

/**
 * Makes sure that the descriptions and attachments of a layer, which must be locked, have the version that a change is based on.
 *
 * @throws {Problem} resource/stale
 */
export function requireExtensionsVersion(
  { resourceId, extensionsVersion: version }: Layer,
  wanted: number | undefined,
): void {
  if (wanted === undefined || wanted === version) return
  const message = `The descriptions and attachments of features of resource id = ${resourceId} have version ${version}, not ${wanted}.`
  throw problem('resource/stale', message, { resource: resourceId, data: { extensions_version: version } })
}

interface KeyPlace {
  readonly key: string
  readonly pointer: Pointer
}

function findOne(item: Item, ids: readonly number[], { key, pointer }: KeyPlace): number | undefined {
  const shown = `${key} = ${JSON.stringify(item.key)}`
  if (ids.length > 1) throw invalidAt(pointer, `${ids.length} features have ${shown}`)
  const addsNothing = item.description == null && (item.attachment ?? []).length === 0
  if (ids.length === 0 && !addsNothing) throw invalidAt(pointer, `no feature has ${shown}`)
  return ids[0]
}

const changeOf = ({ description, attachment }: Item): ExtensionChange => ({
  ...(description === undefined ? {} : { description }),
  ...(attachment === undefined ? {} : { attachment }),
})
