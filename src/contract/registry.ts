import type { Static, TSchema } from 'typebox'
import { baselayers } from './classes/baselayers.ts'
import { basemapLayer } from './classes/basemap_layer.ts'
import { collectorProject } from './classes/collector_project.ts'
import { deskVectorStyle } from './classes/desk_vector_style.ts'
import { fileBucket } from './classes/file_bucket.ts'
import { formbuilderForm } from './classes/formbuilder_form.ts'
import { geodbConnection } from './classes/geodb_connection.ts'
import { geodbLayer } from './classes/geodb_layer.ts'
import { lookupTable } from './classes/lookup_table.ts'
import { mapsrvStyle } from './classes/mapsrv_style.ts'
import { rasterLayer } from './classes/raster_layer.ts'
import { rasterStyle } from './classes/raster_style.ts'
import { resourceGroup } from './classes/resource_group.ts'
import { tracker } from './classes/tracker.ts'
import { trackersGroup } from './classes/trackers_group.ts'
import { vectorLayer } from './classes/vector_layer.ts'
import { webmap } from './classes/webmap.ts'
import { wfsserverService } from './classes/wfsserver_service.ts'
import { wmsclientConnection } from './classes/wmsclient_connection.ts'
import { wmsclientLayer } from './classes/wmsclient_layer.ts'
import { wmsserverService } from './classes/wmsserver_service.ts'
import type { ClassDescriptor, DataRequirement, SourceData } from './descriptor.ts'

/** Every class of resources, by the name the API document gives it. */
export const classes = {
  resource_group: resourceGroup,
  webmap,
  vector_layer: vectorLayer,
  geodb_layer: geodbLayer,
  raster_layer: rasterLayer,
  mapsrv_style: mapsrvStyle,
  desk_vector_style: deskVectorStyle,
  raster_style: rasterStyle,
  geodb_connection: geodbConnection,
  wmsclient_connection: wmsclientConnection,
  wmsclient_layer: wmsclientLayer,
  wmsserver_service: wmsserverService,
  wfsserver_service: wfsserverService,
  lookup_table: lookupTable,
  file_bucket: fileBucket,
  basemap_layer: basemapLayer,
  baselayers,
  trackers_group: trackersGroup,
  tracker,
  formbuilder_form: formbuilderForm,
  collector_project: collectorProject,
} as const satisfies Record<string, ClassDescriptor>

/** The class that all others extend. The schema lists it; no resource is of it alone. */
export const baseClass = {
  identity: 'resource',
  label: 'Resource',
  scopes: ['resource', 'metadata'],
} as const satisfies Pick<ClassDescriptor, 'label' | 'scopes'> & { identity: string }

/** Name of a class. */
export type Cls = keyof typeof classes

/** The wire members of a class's own, as TypeScript types; all optional, as in a change request. */
export type Members<C extends Cls> = {
  [M in keyof (typeof classes)[C]['members']]?: (typeof classes)[C]['members'][M] extends infer S extends
    TSchema
    ? Partial<Static<S>>
    : never
}

/** Names of all classes, in the order of the registry. */
export const clsNames = Object.keys(classes) as readonly Cls[]

/** What the identity of a rule may be: one class, exactly, or empty for all. No resource is of the base class. */
export const ruleIdentities: readonly string[] = ['', baseClass.identity, ...clsNames]

/** Tells whether a name is that of a class. */
export function isCls(name: unknown): name is Cls {
  return typeof name === 'string' && Object.hasOwn(classes, name)
}

/** Gives the descriptor of a class, in its general form. */
export function descriptorOf(cls: Cls): ClassDescriptor {
  return classes[cls]
}

/** Finds the source data of a class; undefined where the class takes none or does not exist. */
export function dataOf(cls: string | undefined): SourceData | undefined {
  return isCls(cls) ? descriptorOf(cls).data : undefined
}

/**
 * Finds the permission that a class requires on another resource. Requirements form strata: connections, then layers,
 * then styles.
 */
export function findRequirement(cls: string): DataRequirement | undefined {
  return isCls(cls) ? descriptorOf(cls).requires : undefined
}

/** Name of a class with source data. */
export type DataCls = {
  [C in Cls]: (typeof classes)[C] extends { readonly data: SourceData } ? C : never
}[Cls]

/** Names of the classes with source data. */
export const dataClsNames = clsNames.filter((cls) => dataOf(cls) !== undefined) as readonly DataCls[]

/** Tells whether a resource of one class may stand under one of another. */
export function isAllowedParent(cls: Cls, parent: Cls): boolean {
  return descriptorOf(cls).parents.includes(parent)
}

/** Tells whether features can be read from resources of the class. */
export function hasFeatures(cls: Cls): boolean {
  return 'feature_layer' in descriptorOf(cls).members
}
