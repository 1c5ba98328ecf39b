// Printed from the contract by `npm run docs`. Do not edit.
import type { CustomResourceOptions, Output } from '@pulumi/pulumi'
import { type Inputs, LandformResource, lookUp } from '../landform_resource.ts'
import type { DataSource, FileSource, Rule } from './block_types.ts'

/** Properties of `VectorLayer`. */
export interface VectorLayerProperties {
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
  readonly vector_layer?: {
    /** Coordinate reference system of the layer. */
    readonly srs?: {
      /** EPSG code. */
      readonly id: number
    }
    /** Geometry type of the layer. */
    readonly geometry_type?: "POINT" | "LINESTRING" | "POLYGON" | "MULTIPOINT" | "MULTILINESTRING" | "MULTIPOLYGON" | "POINTZ" | "LINESTRINGZ" | "POLYGONZ" | "MULTIPOINTZ" | "MULTILINESTRINGZ" | "MULTIPOLYGONZ"
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
  /** Data to load if the server has other data. */
  readonly data?: DataSource | {
    /** Data file: a path relative to the program, or an asset or archive. */
    readonly source: DataSource
    /** Policy for data that were edited on the server: seed loads the source once and keeps later edits, replace overwrites them, sync changes the features that differ from the source and keeps the ids of the others. If absent, edited data stop the plan. */
    readonly mode?: "seed" | "replace" | "sync"
    /** Field that identifies a feature in the source and on the server, or several; only with mode sync. */
    readonly key?: string | readonly (string)[]
    /** Allow a load that deletes more than 10 % of the features, all values of a field, or attachments. */
    readonly allow_loss?: boolean
    /** Character encoding of GeoJSON, Shapefile, MapInfo interchange file, CSV, if the file does not declare it. */
    readonly encoding?: string
    /** Layer of the source to load; required if the source has several. */
    readonly source_layer?: string
    /** Geometry family of the layer; null detects it. */
    readonly cast_geometry_type?: "POINT" | "LINESTRING" | "POLYGON" | null
    /** Whether geometries are multi-part; null detects it. */
    readonly cast_is_multi?: boolean | null
    /** Whether geometries have Z; null detects it. */
    readonly cast_has_z?: boolean | null
    /** Skip features with geometry families other than cast_geometry_type. */
    readonly skip_other_geometry_types?: boolean
    /** Repair of invalid geometries and split at the antimeridian: NONE, SAFE (without loss) or LOSSY. */
    readonly fix_errors?: "NONE" | "SAFE" | "LOSSY"
    /** Skip invalid features and report them. */
    readonly skip_errors?: boolean
    /** Source of feature ids: SEQUENCE counts from 1, FIELD reads fid_field, AUTO reads fid_field if the source has it. */
    readonly fid_source?: "SEQUENCE" | "FIELD" | "AUTO"
    /** Field with the feature ids; the first existing one of a comma-separated list. */
    readonly fid_field?: string | readonly (string)[]
    /** Keep the fields of the layer: values are converted to their datatypes, and other fields of the source are ignored. */
    readonly keep_fields?: boolean
  }
  /** Descriptions and attachments of features. Absent parts are not managed. */
  readonly features?: {
    /** Field that identifies a feature. */
    readonly key: string
    /** Descriptions of all features, by the value of the key; other features have none. */
    readonly descriptions?: { readonly [name: string]: string }
    /** Attachments of all features, by the value of the key: assets, and paths or patterns (photos/north/*.jpg), relative to the program; other features have none. */
    readonly attachments?: { readonly [name: string]: readonly (FileSource | {
      /** Path or pattern, relative to the program, or an asset. */
      readonly path: FileSource
      /** Name on the server; defaults to the name of the file. Not for patterns. */
      readonly name?: string
      /** Media type; the server derives it from the name if absent. */
      readonly mime_type?: string
      /** Description. */
      readonly description?: string
    })[] }
  }
}

/** A layer with features stored on the server. */
export class VectorLayer extends LandformResource {
  /** Whether the resource is protected from deletion, even after this block is removed. */
  declare readonly protect: Output<VectorLayerProperties['protect']>
  /** Key of the parent resource; the root of the server if absent. */
  declare readonly parent: Output<VectorLayerProperties['parent']>
  /** Display name; unique among siblings. */
  declare readonly display_name: Output<string>
  /** Description, HTML. */
  declare readonly description: Output<VectorLayerProperties['description']>
  /** Owner of the resource. A keyname: guest, user:anna or group:editors. */
  declare readonly owner: Output<VectorLayerProperties['owner']>
  /** Permission rules. A list replaces all rules of the resource; include adds its rules and keeps the others. */
  declare readonly permissions: Output<VectorLayerProperties['permissions']>
  /** Metadata by key; null removes a key. */
  declare readonly resmeta: Output<VectorLayerProperties['resmeta']>
  /** Fields that stay as they are on the server, although the manifest has set them before: description, webmap.extent_top, or webmap for all fields of it. With children, no resource below the block is deleted because the manifest does not describe it. */
  declare readonly unmanaged: Output<VectorLayerProperties['unmanaged']>
  declare readonly vector_layer: Output<VectorLayerProperties['vector_layer']>
  declare readonly feature_layer: Output<VectorLayerProperties['feature_layer']>
  /** Data to load if the server has other data. */
  declare readonly data: Output<VectorLayerProperties['data']>
  /** Descriptions and attachments of features. Absent parts are not managed. */
  declare readonly features: Output<VectorLayerProperties['features']>

  constructor(name: string, args: Inputs<VectorLayerProperties>, options?: CustomResourceOptions) {
    super('vector_layer', name, { args, options })
  }

  /** Returns an existing resource without managing it, by key, id or path. */
  static get(name: string, id: string, options?: CustomResourceOptions): VectorLayer {
    return new VectorLayer(name, {} as Inputs<VectorLayerProperties>, lookUp(id, options))
  }
}
