/** Description of a set of tiles. @see TileJSON 3.0.0 */
export interface TileJson {
  readonly tilejson: '3.0.0'
  readonly name: string
  readonly description?: string
  readonly scheme: 'xyz'
  /** Addresses of tiles, with `{z}`, `{x}` and `{y}`. */
  readonly tiles: readonly string[]
  readonly minzoom: number
  readonly maxzoom: number
  /** West, south, east and north, in degrees. */
  readonly bounds: readonly [number, number, number, number]
  /** Longitude, latitude and zoom level. */
  readonly center: readonly [number, number, number]
  /** Layers of vector tiles. */
  readonly vector_layers?: readonly VectorTileLayer[]
  /** Format of pictures: `png`; of vector tiles: `pbf`. */
  readonly format: 'pbf' | 'png'
}

/** A layer of vector tiles. */
export interface VectorTileLayer {
  /** Name of the layer in the tiles. */
  readonly id: string
  readonly description: string
  readonly minzoom: number
  readonly maxzoom: number
  /** Type of each field: `Number` or `String`. */
  readonly fields: Readonly<Record<string, 'Number' | 'String'>>
}
