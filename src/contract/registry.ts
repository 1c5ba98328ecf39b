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
import type { ClassDescriptor, ClassFiles, DataRequirement, SourceData } from './descriptor.ts'

/** All classes of resources, by their names in the API document. */
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

/** Abstract base class of all classes, listed in the schema. */
export const baseClass = {
  identity: 'resource',
  label: 'Resource',
  scopes: ['resource', 'metadata'],
} as const satisfies Pick<ClassDescriptor, 'label' | 'scopes'> & { identity: string }

/** Name of a class. */
export type Cls = keyof typeof classes

/** TypeScript types of the members of a class on the wire; all optional, as in an update. */
export type Members<C extends Cls> = {
  [M in keyof (typeof classes)[C]['members']]?: (typeof classes)[C]['members'][M] extends infer S extends
    TSchema
    ? Partial<Static<S>>
    : never
}

/** Names of all classes, in the order of the registry. */
export const clsNames = Object.keys(classes) as readonly Cls[]

/** Allowed identities of permission rules: a class, or empty for all classes. */
export const ruleIdentities: readonly string[] = ['', baseClass.identity, ...clsNames]

/** Tells whether a value is the name of a class. */
export function isCls(name: unknown): name is Cls {
  return typeof name === 'string' && Object.hasOwn(classes, name)
}

/** Returns the descriptor of a class, with its general type. */
export function descriptorOf(cls: Cls): ClassDescriptor {
  return classes[cls]
}

/** Finds the source data of a class; undefined if the class has none or does not exist. */
export function dataOf(cls: string | undefined): SourceData | undefined {
  return isCls(cls) ? descriptorOf(cls).data : undefined
}

/** Returns the field of a class that takes descriptions and attachments of features; undefined if it has none. */
export function extensionsOf(cls: string | undefined): string | undefined {
  return isCls(cls) ? (descriptorOf(cls) as ClassDescriptor).extensions : undefined
}

/** Finds the files of a class; undefined if the class has none or does not exist. */
export function filesOf(cls: string | undefined): ClassFiles | undefined {
  return isCls(cls) ? descriptorOf(cls).files : undefined
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

/** Tells whether a class may be a child of another. */
export function isAllowedParent(cls: Cls, parent: Cls): boolean {
  return descriptorOf(cls).parents.includes(parent)
}

/** Tells whether resources of a class have features. */
export function hasFeatures(cls: Cls): boolean {
  return 'feature_layer' in descriptorOf(cls).members
}
