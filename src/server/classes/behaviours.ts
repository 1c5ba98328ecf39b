import { problem } from '../../contract/problems.ts'
import type { Cls } from '../../contract/registry.ts'
import type { Behaviour, BehaviourOf } from './behaviour.ts'
import { deskVectorStyleBehaviour } from './desk_vector_style.ts'
import { fileBucketBehaviour } from './file_bucket.ts'
import { formbuilderFormBehaviour } from './formbuilder_form.ts'
import { basemapLayerBehaviour } from './layers/basemap_layer.ts'
import { geodbConnectionBehaviour } from './layers/geodb_connection.ts'
import { geodbLayerBehaviour } from './layers/geodb_layer.ts'
import { rasterLayerBehaviour } from './layers/raster_layer.ts'
import { rasterStyleBehaviour } from './layers/raster_style.ts'
import { vectorLayerBehaviour } from './layers/vector_layer.ts'
import { wmsclientConnectionBehaviour } from './layers/wmsclient_connection.ts'
import { wmsclientLayerBehaviour } from './layers/wmsclient_layer.ts'
import { lookupTableBehaviour } from './lookup_table.ts'
import { mapsrvStyleBehaviour } from './mapsrv_style.ts'
import { plainBehaviour } from './plain.ts'
import { wfsserverServiceBehaviour, wmsserverServiceBehaviour } from './service.ts'
import { withTileCache } from './tile_cache.ts'
import { trackerBehaviour } from './tracker.ts'
import { webmapBehaviour } from './webmap.ts'

/** Behaviour of each class; undefined for classes that this version does not support. */
const behaviours: { readonly [C in Cls]: BehaviourOf<C> | undefined } = {
  resource_group: plainBehaviour(),
  webmap: webmapBehaviour,
  vector_layer: vectorLayerBehaviour,
  geodb_layer: geodbLayerBehaviour,
  raster_layer: rasterLayerBehaviour,
  mapsrv_style: withTileCache(mapsrvStyleBehaviour),
  desk_vector_style: withTileCache(deskVectorStyleBehaviour),
  raster_style: withTileCache(rasterStyleBehaviour),
  geodb_connection: geodbConnectionBehaviour,
  wmsclient_connection: wmsclientConnectionBehaviour,
  wmsclient_layer: wmsclientLayerBehaviour,
  wmsserver_service: wmsserverServiceBehaviour,
  wfsserver_service: wfsserverServiceBehaviour,
  lookup_table: lookupTableBehaviour,
  file_bucket: fileBucketBehaviour,
  basemap_layer: basemapLayerBehaviour,
  baselayers: plainBehaviour(),
  trackers_group: plainBehaviour(),
  tracker: trackerBehaviour,
  formbuilder_form: formbuilderFormBehaviour,
  collector_project: plainBehaviour(),
}

/** Finds the behaviour of a class; undefined if this version does not support the class. */
export function findBehaviour(cls: Cls): Behaviour<Cls> | undefined {
  return behaviours[cls] as Behaviour<Cls> | undefined
}

/**
 * Returns the behaviour of a class.
 *
 * @throws {Problem} resource/class-disabled
 */
export function behaviourOf(cls: Cls): Behaviour<Cls> {
  const behaviour = findBehaviour(cls)
  if (behaviour === undefined)
    throw problem('resource/class-disabled', `This version does not support resources of class ${cls}.`, {
      data: { cls },
    })
  return behaviour
}
