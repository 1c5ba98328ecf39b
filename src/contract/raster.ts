/** Properties of a raster. */
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
