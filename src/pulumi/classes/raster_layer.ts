// Printed from the contract by `npm run docs`. Do not edit.
import type { CustomResourceOptions, Output } from '@pulumi/pulumi'
import { type Inputs, LandformResource, lookUp } from '../landform_resource.ts'
import type { DataSource, Rule } from './block_types.ts'

/** Properties of `RasterLayer`. */
export interface RasterLayerProperties {
  /** Key, unique on the server; the name of the resource if absent. */
  readonly key?: string
  /** Whether the resource is protected from deletion, even after this block is removed. */
  readonly protect?: boolean
  /** Key of the parent resource; the root of the server if absent. */
  readonly parent?: string
  /** Display name; unique among siblings. */
  readonly display_name?: string
  /** Description, HTML. */
  readonly description?: string | null
  /** Owner of the resource. A keyname: guest, user:anna or group:editors. */
  readonly owner?: string
  /** Permission rules. A list replaces all rules of the resource; include adds its rules and keeps the others. */
  readonly permissions?: readonly (Rule)[] | {
    readonly include: readonly (Rule)[]
  }
  /** Metadata by key; null removes a key. */
  readonly resmeta?: { readonly [name: string]: string | number | boolean | null }
  /** Fields that stay as they are on the server, although the manifest has set them before: description, webmap.extent_top, or webmap for all fields of it. With children, no resource below the block is deleted because the manifest does not describe it. */
  readonly unmanaged?: readonly (string)[]
  readonly raster_layer?: {
    /** Coordinate reference system of the stored raster: always 3857. */
    readonly srs?: {
      /** EPSG code. */
      readonly id: number
    }
  }
  /** Data to load if the server has other data. */
  readonly data?: DataSource | {
    /** Data file: a path relative to the program, or an asset or archive. */
    readonly source: DataSource
    /** Policy for data that were edited on the server: seed loads the source once and keeps later edits, replace overwrites them, sync changes the features that differ from the source and keeps the ids of the others. If absent, edited data stop the plan. */
    readonly mode?: "seed" | "replace"
  }
}

/** A georeferenced raster: a GeoTIFF of colours with any number of bits, or of values in one band. */
export class RasterLayer extends LandformResource {
  /** Whether the resource is protected from deletion, even after this block is removed. */
  declare readonly protect: Output<RasterLayerProperties['protect']>
  /** Key of the parent resource; the root of the server if absent. */
  declare readonly parent: Output<RasterLayerProperties['parent']>
  /** Display name; unique among siblings. */
  declare readonly display_name: Output<string>
  /** Description, HTML. */
  declare readonly description: Output<RasterLayerProperties['description']>
  /** Owner of the resource. A keyname: guest, user:anna or group:editors. */
  declare readonly owner: Output<RasterLayerProperties['owner']>
  /** Permission rules. A list replaces all rules of the resource; include adds its rules and keeps the others. */
  declare readonly permissions: Output<RasterLayerProperties['permissions']>
  /** Metadata by key; null removes a key. */
  declare readonly resmeta: Output<RasterLayerProperties['resmeta']>
  /** Fields that stay as they are on the server, although the manifest has set them before: description, webmap.extent_top, or webmap for all fields of it. With children, no resource below the block is deleted because the manifest does not describe it. */
  declare readonly unmanaged: Output<RasterLayerProperties['unmanaged']>
  declare readonly raster_layer: Output<RasterLayerProperties['raster_layer']>
  /** Data to load if the server has other data. */
  declare readonly data: Output<RasterLayerProperties['data']>

  constructor(name: string, args: Inputs<RasterLayerProperties>, options?: CustomResourceOptions) {
    super('raster_layer', name, { args, options })
  }

  /** Returns an existing resource without managing it, by key, id or path. */
  static get(name: string, id: string, options?: CustomResourceOptions): RasterLayer {
    return new RasterLayer(name, {} as Inputs<RasterLayerProperties>, lookUp(id, options))
  }
}
