// Printed from the contract by `npm run docs`. Do not edit.
import type { CustomResourceOptions, Output } from '@pulumi/pulumi'
import { type Inputs, LandformResource, lookUp } from '../landform_resource.ts'
import type { Rule } from './block_types.ts'

/** Properties of `RasterStyle`. */
export interface RasterStyleProperties {
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
  readonly raster_style?: {
    /** Range of values from black to white, or of the colour ramp; of colours, that of each band. Null for 0 to 255 of 8 bits, else percent. */
    readonly stretch?: {
      /** Range of values: from min to max, without a part at both ends, or a multiple of the standard deviation around the mean. */
      readonly type: "min_max" | "percent" | "std_dev"
      /** Lowest value of min_max; that of each band if absent. */
      readonly min?: number
      /** Highest value of min_max; that of each band if absent. */
      readonly max?: number
      /** Part left out at each end, for percent; 2 if absent. */
      readonly percent?: number
      /** Standard deviations on each side of the mean, for std_dev; 2 if absent. */
      readonly deviations?: number
    } | null
    /** Colours of the values of rasters with one band; null for greys. */
    readonly color_ramp?: {
      /** Colours between the stops: interpolated; that of the next higher stop; or none, so that only the values of stops are drawn. */
      readonly interpolation: "linear" | "discrete" | "exact"
      /** Colours of values. */
      readonly stops: readonly ({
        /** Value of the raster; with a stretch, from 0 to 1 within its range. */
        readonly value: number
        /** Colour #rrggbb, or #rrggbbaa with alpha. */
        readonly color: string
      })[]
    } | null
    /** How pixels are enlarged: as squares, or interpolated. Shrunk rasters are always averaged. */
    readonly resampling?: "nearest" | "bilinear"
    /** Opacity, from 0 to 1. */
    readonly opacity?: number
  }
  readonly tile_cache?: {
    /** Whether the server keeps drawn tiles on disk. They are drawn again when the style or the data changes. */
    readonly enabled?: boolean
    /** Whether images with the scale of a zoom level, and as many pixels as at most 100 tiles, are composed of kept tiles. They are moved to whole pixels of the tiles, by at most half a pixel. */
    readonly image_compose?: boolean
    /** Highest zoom level of kept tiles; null for all. */
    readonly max_z?: number | null
    /** Seconds after which tiles are drawn again at the latest; null for no limit. */
    readonly ttl?: number | null
  }
}

/** A style that renders a raster layer with its original colours, or the colours of its values. */
export class RasterStyle extends LandformResource {
  /** Whether the resource is protected from deletion, even after this block is removed. */
  declare readonly protect: Output<RasterStyleProperties['protect']>
  /** Key of the parent resource; the root of the server if absent. */
  declare readonly parent: Output<RasterStyleProperties['parent']>
  /** Display name; unique among siblings. */
  declare readonly display_name: Output<string>
  /** Description, HTML. */
  declare readonly description: Output<RasterStyleProperties['description']>
  /** Owner of the resource. A keyname: guest, user:anna or group:editors. */
  declare readonly owner: Output<RasterStyleProperties['owner']>
  /** Permission rules. A list replaces all rules of the resource; include adds its rules and keeps the others. */
  declare readonly permissions: Output<RasterStyleProperties['permissions']>
  /** Metadata by key; null removes a key. */
  declare readonly resmeta: Output<RasterStyleProperties['resmeta']>
  /** Fields that stay as they are on the server, although the manifest has set them before: description, webmap.extent_top, or webmap for all fields of it. With children, no resource below the block is deleted because the manifest does not describe it. */
  declare readonly unmanaged: Output<RasterStyleProperties['unmanaged']>
  declare readonly raster_style: Output<RasterStyleProperties['raster_style']>
  declare readonly tile_cache: Output<RasterStyleProperties['tile_cache']>

  constructor(name: string, args: Inputs<RasterStyleProperties>, options?: CustomResourceOptions) {
    super('raster_style', name, { args, options })
  }

  /** Returns an existing resource without managing it, by key, id or path. */
  static get(name: string, id: string, options?: CustomResourceOptions): RasterStyle {
    return new RasterStyle(name, {} as Inputs<RasterStyleProperties>, lookUp(id, options))
  }
}
