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

/** What is known of a picture. */
export interface RasterFacts {
  /** EPSG code. */
  readonly srs: number
  /** Width and height in pixels. */
  readonly xsize: number
  readonly ysize: number
  /** Type of the values, as GDAL names it. */
  readonly dtype: string
  /** What each band is, as GDAL names it. */
  readonly colorInterpretation: readonly string[]
  /** Takes columns and rows to coordinates: x, its step by column and by row; y, its step by column and by row. */
  readonly geoTransform: readonly number[]
}

/** Name of the result, in the folder of the job. */
export const rasterFileName = 'raster.tif'
