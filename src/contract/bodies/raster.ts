/** Distribution of the values of a band. */
export interface RasterStatistics {
  readonly min: number
  readonly max: number
  readonly mean: number
  readonly stdDev: number
  /** The percentiles 0 to 100. */
  readonly percentiles: readonly number[]
}

/** Properties of a raster. */
export interface RasterFacts {
  /** EPSG code. */
  readonly srs: number
  /** Width and height in pixels. */
  readonly xsize: number
  readonly ysize: number
  /** Data type of the bands, as GDAL names it. */
  readonly dtype: string
  /** Color interpretation of each band, as GDAL names it. */
  readonly colorInterpretation: readonly string[]
  /** GDAL geotransform: x of the upper left corner, its step by column and by row; y, its step by column and by row. */
  readonly geoTransform: readonly number[]
  /** Of each band but alpha; null for colours of 8 bits, and where there are no values. */
  readonly statistics: readonly RasterStatistics[] | null
}

/** Returns the alpha of opaque pixels in stored rasters, by the type of their values; other alphas than 1 to this are empty. */
export function opaqueAlpha(values: unknown): number {
  if (values instanceof Uint16Array) return 65_535
  return values instanceof Int16Array ? 32_767 : 255
}
