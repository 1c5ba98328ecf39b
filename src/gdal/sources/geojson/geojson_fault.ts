/** Error for invalid JSON. */
export class JsonFault extends Error {
  /** Offset in the file. */
  readonly offset: number
  readonly kind: 'syntax' | 'end' | 'nul' | 'size'

  constructor(kind: JsonFault['kind'], offset: number) {
    super(kind)
    this.kind = kind
    this.offset = offset
  }
}

/** Error for a file that starts as GeoJSON, but is not valid GeoJSON. */
export class GeoJsonFault extends Error {}
