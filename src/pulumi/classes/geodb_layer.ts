// Printed from the contract by `npm run docs`. Do not edit.
import type { CustomResourceOptions, Output } from '@pulumi/pulumi'
import { type Inputs, LandformResource, lookUp } from '../landform_resource.ts'
import type { Rule } from './block_types.ts'

/** Properties of `GeodbLayer`. */
export interface GeodbLayerProperties {
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
  readonly geodb_layer: {
    /** Connection to the database. */
    readonly connection: string | {
      readonly id: number
    }
    /** Schema of the table. */
    readonly schema: string
    /** Table. */
    readonly table: string
    /** Primary key column. */
    readonly column_id: string
    /** Geometry column. */
    readonly column_geom: string
    /** Geometry type; null detects it from the table. */
    readonly geometry_type?: "POINT" | "LINESTRING" | "POLYGON" | "MULTIPOINT" | "MULTILINESTRING" | "MULTIPOLYGON" | "POINTZ" | "LINESTRINGZ" | "POLYGONZ" | "MULTIPOINTZ" | "MULTILINESTRINGZ" | "MULTIPOLYGONZ" | null
    /** Coordinate reference system of the table; detected from the table if absent. */
    readonly srs?: {
      /** EPSG code. */
      readonly id: number
    }
  }
  readonly feature_layer?: {
    /** Fields, in order. */
    readonly fields: readonly ({
      /** Name in the API, unique in the layer; id and geom are reserved. */
      readonly keyname: string
      /** Datatype of the values. */
      readonly datatype: "INTEGER" | "BIGINT" | "REAL" | "STRING" | "DATE" | "TIME" | "DATETIME"
      /** Display name; defaults to the keyname. */
      readonly display_name?: string
      /** Whether its values label the features. */
      readonly label_field?: boolean
      /** Whether feature tables show it. */
      readonly grid_visibility?: boolean
      /** Whether text search includes it. */
      readonly text_search?: boolean
      /** Lookup table with the labels of its values. */
      readonly lookup_table?: string | {
        readonly id: number
      } | null
      /** Previous keyname of a renamed item, which keeps its values. */
      readonly was?: string
    })[]
  }
}

/** A layer of a table in an external PostGIS database. */
export class GeodbLayer extends LandformResource {
  /** Whether the resource is protected from deletion, even after this block is removed. */
  declare readonly protect: Output<GeodbLayerProperties['protect']>
  /** Key of the parent resource; the root of the server if absent. */
  declare readonly parent: Output<GeodbLayerProperties['parent']>
  /** Display name; unique among siblings. */
  declare readonly display_name: Output<string>
  /** Description, HTML. */
  declare readonly description: Output<GeodbLayerProperties['description']>
  /** Owner of the resource. A keyname: guest, user:anna or group:editors. */
  declare readonly owner: Output<GeodbLayerProperties['owner']>
  /** Permission rules. A list replaces all rules of the resource; include adds its rules and keeps the others. */
  declare readonly permissions: Output<GeodbLayerProperties['permissions']>
  /** Metadata by key; null removes a key. */
  declare readonly resmeta: Output<GeodbLayerProperties['resmeta']>
  /** Fields that stay as they are on the server, although the manifest has set them before: description, webmap.extent_top, or webmap for all fields of it. With children, no resource below the block is deleted because the manifest does not describe it. */
  declare readonly unmanaged: Output<GeodbLayerProperties['unmanaged']>
  declare readonly geodb_layer: Output<GeodbLayerProperties['geodb_layer']>
  declare readonly feature_layer: Output<GeodbLayerProperties['feature_layer']>

  constructor(name: string, args: Inputs<GeodbLayerProperties>, options?: CustomResourceOptions) {
    super('geodb_layer', name, { args, options })
  }

  /** Returns an existing resource without managing it, by key, id or path. */
  static get(name: string, id: string, options?: CustomResourceOptions): GeodbLayer {
    return new GeodbLayer(name, {} as Inputs<GeodbLayerProperties>, lookUp(id, options))
  }
}
