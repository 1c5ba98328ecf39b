/** Reports bytes that are not JSON. */
export class JsonFault extends Error {
  /** Bytes of the file before the fault. */
  readonly offset: number
  readonly kind: 'syntax' | 'end' | 'nul' | 'size'

  constructor(kind: JsonFault['kind'], offset: number) {
    super(kind)
    this.kind = kind
    this.offset = offset
  }
}

/** Reports a file that is not GeoJSON in the way that its beginning promises. */
export class GeoJsonFault extends Error {}
