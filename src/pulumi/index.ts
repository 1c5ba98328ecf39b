export { Baselayers, type BaselayersProperties } from './classes/baselayers.ts'
export { BasemapLayer, type BasemapLayerProperties } from './classes/basemap_layer.ts'
export type { DataSource, FileSource, Rule, WebmapItem } from './classes/block_types.ts'
export { CollectorProject, type CollectorProjectProperties } from './classes/collector_project.ts'
export { DeskVectorStyle, type DeskVectorStyleProperties } from './classes/desk_vector_style.ts'
export { FileBucket, type FileBucketProperties } from './classes/file_bucket.ts'
export { FormbuilderForm, type FormbuilderFormProperties } from './classes/formbuilder_form.ts'
export { GeodbConnection, type GeodbConnectionProperties } from './classes/geodb_connection.ts'
export { GeodbLayer, type GeodbLayerProperties } from './classes/geodb_layer.ts'
export { LookupTable, type LookupTableProperties } from './classes/lookup_table.ts'
export { MapsrvStyle, type MapsrvStyleProperties } from './classes/mapsrv_style.ts'
export { RasterLayer, type RasterLayerProperties } from './classes/raster_layer.ts'
export { RasterStyle, type RasterStyleProperties } from './classes/raster_style.ts'
export { ResourceGroup, type ResourceGroupProperties } from './classes/resource_group.ts'
export type { ExportPipeline, ImportPipeline, RunLayer } from './classes/run_types.ts'
export { Tracker, type TrackerProperties } from './classes/tracker.ts'
export { TrackersGroup, type TrackersGroupProperties } from './classes/trackers_group.ts'
export { VectorLayer, type VectorLayerProperties } from './classes/vector_layer.ts'
export { Webmap, type WebmapProperties } from './classes/webmap.ts'
export { WfsserverService, type WfsserverServiceProperties } from './classes/wfsserver_service.ts'
export { WmsclientConnection, type WmsclientConnectionProperties } from './classes/wmsclient_connection.ts'
export { WmsclientLayer, type WmsclientLayerProperties } from './classes/wmsclient_layer.ts'
export { WmsserverService, type WmsserverServiceProperties } from './classes/wmsserver_service.ts'
export {
  getLayer,
  getLayerOutput,
  getPermissions,
  getPermissionsOutput,
  getResource,
  getResourceOutput,
  type LayerResult,
  type NameArgs,
  type NameInputs,
  type PermissionsResult,
  type ResourceResult,
} from './functions.ts'
export { type Deep, type Inputs, LandformResource } from './landform_resource.ts'
export { Provider, type ProviderArgs } from './provider.ts'
export { Run, type RunProperties } from './run.ts'
export { Tree, type TreeArgs } from './tree.ts'
