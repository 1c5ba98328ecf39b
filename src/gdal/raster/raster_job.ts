/** What a child process is asked to make of a picture. Plain data: it crosses a process boundary. */
export interface RasterJob {
  readonly kind: 'raster'
  /** The file, wherever it stands and whatever its name. */
  readonly path: string
  /** Name of the file as its owner called it. */
  readonly name: string
  /** Empty folder for intermediate files, and for the result; its owner deletes it. */
  readonly folder: string
  /** EPSG code of the reference system the picture is to be in; 3857 is what is known how to be done. */
  readonly srs: number
  /** Most bytes an archive may unpack to. */
  readonly unpackLimitBytes: number
  /** Most bytes that the pixels may have, as they come and as they are stored, whatever they pack to. */
  readonly pixelLimitBytes: number
}

/** Name of the result, in the folder of the job. */
export const rasterFileName = 'raster.tif'
