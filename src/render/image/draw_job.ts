import type { ImageFormat } from '../../contract/formats/image_format.ts'
import type { GeometryFamily } from '../../contract/geometry.ts'
import type { Style } from '../../style/style_model.ts'
import type { DensityPoints } from '../draw/density.ts'
import type { PlacedLabel } from '../label/placed_label.ts'
import type { Enlarging, PixelTransform } from '../raster/resample.ts'
import type { PixelGrid } from '../raster/warp.ts'
import type { DebugMark } from './debug_marks.ts'
import type { RasterPaint } from './raster_paint.ts'

/** An image to draw. Plain data, since it crosses to a worker thread. */
export interface DrawJob {
  /** In device pixels, as are all positions. */
  readonly width: number
  readonly height: number
  /** Column and row of the top left pixel in an image of the world; patterns are aligned to it. */
  readonly origin: readonly [x: number, y: number]
  readonly scaleDenom: number
  /** Pixels of 1/96 inch, not device pixels, per map unit. */
  readonly pixelsPerMapUnit: number
  /** Device pixels per pixel of 1/96 inch; 1 by default. Everything that a style measures in pixels grows with it. */
  readonly pixelRatio?: number
  /** Format of the encoded image; PNG by default. */
  readonly format?: ImageFormat
  /** Whether outlines along an edge of the world stay where they are, as in a job that is not drawn. */
  readonly keepsWorldEdges?: boolean
  /** Bottom first. */
  readonly layers: readonly JobLayer[]
  /** Labels, which are drawn over all layers: placed ones, or `place` for those of the layers; none if it is missing. */
  readonly labels?: 'place' | readonly PlacedLabel[]
  /** Whether the layers are not drawn, but only their labels. */
  readonly showsLabelsOnly?: boolean
  /** Outlines that are drawn over everything, to find faults. */
  readonly marks?: readonly DebugMark[]
}

/** A layer of an image. */
export type JobLayer = FeatureJobLayer | PixelJobLayer | WindowJobLayer | RasterJobLayer

/** Features that are drawn with a style. */
export interface FeatureJobLayer {
  readonly style: Style
  readonly features: JobFeatures
  /** Points of a heatmap, if the style has one. */
  readonly density?: DensityPoints
  /** Points that are grouped, if the style does so. */
  readonly groups?: readonly PlacedBlock[]
}

/** Points that are grouped among themselves. */
export interface PointBlock {
  /** Ids of the first features. */
  readonly ids: Float64Array
  /** Positions as x and y, from the top left corner of the block in pixels of 1/96 inch. */
  readonly positions: Float64Array
  /** Numbers of features. */
  readonly counts: Float64Array
  /** Names of the fields that the style reads, and values of each of them. */
  readonly fields: readonly string[]
  readonly columns: readonly (readonly unknown[])[]
}

/** A block with the place of its top left corner in an image, in pixels of 1/96 inch. */
export interface PlacedBlock {
  readonly block: PointBlock
  readonly left: number
  readonly top: number
}

/** Pixels that are put over the layers below. */
export interface PixelJobLayer {
  /** RGBA with 8 bits a channel, premultiplied, rows from the top; as many pixels as the image. */
  readonly pixels: Uint8Array<ArrayBuffer>
  /** From 0 to 1; 1 if it is missing. */
  readonly opacity?: number
}

/** An image from elsewhere, such as a tile of another service, that is put at its place. */
export interface WindowJobLayer {
  readonly window: JobWindow
  /** Position of each pixel of the frame in the window. */
  readonly place: PixelTransform | PixelGrid
  readonly enlarging: Enlarging
  /** From 0 to 1; 1 if it is missing. */
  readonly opacity?: number
}

/** An image in memory. */
export interface JobWindow {
  readonly width: number
  readonly height: number
  /** RGBA with 8 bits a channel, not premultiplied, rows from the top. */
  readonly pixels: Uint8Array<ArrayBuffer>
}

/** A stored raster, of which the thread reads what the image shows. */
export interface RasterJobLayer {
  /** File of the raster, and a name of its content. */
  readonly raster: { readonly path: string; readonly digest: string }
  readonly paint: RasterPaint
  /** Position of each pixel of the frame in the raster: once for each copy of the world. */
  readonly places: readonly PixelTransform[]
  /** Positions of the frame in the raster instead, for a frame in another reference system. */
  readonly grid?: PixelGrid
  readonly enlarging: Enlarging
  /** From 0 to 1; 1 if it is missing. */
  readonly opacity?: number
}

/** Features of a layer. */
export interface JobFeatures {
  readonly family: GeometryFamily
  /** In the order of drawing. */
  readonly ids: Float64Array<ArrayBuffer>
  /** Units per pixel of the image, horizontally and vertically. */
  readonly unitsPerPixel: readonly [x: number, y: number]
  /** The top left pixel, in units. */
  readonly corner: readonly [x: number, y: number]
  /** Position of each single point, in units from the corner; empty for other geometries. */
  readonly points: Float64Array<ArrayBuffer>
  /** Side of the world in units. */
  readonly worldUnits: number
  /** TWKB of all other geometries, one after the other, in units of precision 0. */
  readonly geometries: Uint8Array<ArrayBuffer>
  /** End of each geometry in `geometries`. */
  readonly ends: Uint32Array<ArrayBuffer>
  /** Whether each geometry is relative to the corner, and not to the top left corner of the world. */
  readonly isLocal: Uint8Array<ArrayBuffer>
  /** Copy of the world in which each geometry is drawn, which is not local; all in the world itself, 0, if it is missing. */
  readonly copies?: Int8Array<ArrayBuffer>
  /** Names of the fields that the style reads. */
  readonly fields: readonly string[]
  /** Values of each field. */
  readonly columns: readonly (readonly unknown[])[]
}

/** A pixel of a stored raster to read. */
export interface ProbeJob {
  readonly probe: {
    readonly raster: RasterJobLayer['raster']
    readonly column: number
    readonly row: number
  }
}

/** An encoded image. */
export interface DrawnImage {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Whether nothing was drawn. */
  readonly isEmpty: boolean
}
