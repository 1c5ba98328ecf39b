/** Job of a child process that converts a raster. Plain data, since it crosses a process boundary. */
export interface RasterJob {
  readonly kind: 'raster'
  /** Path of the file, under any name. */
  readonly path: string
  /** Original file name. */
  readonly name: string
  /** Empty folder for intermediate files, and for the result; its owner deletes it. */
  readonly folder: string
  /** EPSG code of the result; only 3857 is supported. */
  readonly srs: number
  /** Maximum size of an unpacked archive. */
  readonly unpackLimitBytes: number
  /** Maximum uncompressed size of the pixels, of the source and of the result. */
  readonly pixelLimitBytes: number
  /** Whether the raster is only checked by its metadata, and not converted. @default false */
  readonly isCheck?: boolean
}

/** Name of the result, in the folder of the job. */
export const rasterFileName = 'raster.tif'
