/** Tells whether the address of tiles is that of vector tiles, by its extension, last segment or format. */
export function isVectorTileUrl(template: string): boolean {
  const [path = '', query = ''] = template.split(/[?#]/, 2)
  return /[./](mvt|pbf)(\.gz)?$/i.test(path) || /(^|&)(f|format)=(mvt|pbf)(&|$)/i.test(query)
}

/** Tells whether bytes are the start of a vector tile, which may be compressed with gzip. A tile without bytes is empty. */
export function isVectorTile(start: Uint8Array): boolean {
  // Field 3 of a tile is a layer. See Mapbox Vector Tile 2.1, clause 4.1, and RFC 1952.
  return start.length === 0 || start[0] === 0x1a || (start[0] === 0x1f && start[1] === 0x8b)
}

/** Number of bytes that tell the format of a tile. */
export const tileSignatureBytes = 12

/** Hexadecimal bytes by which images begin. */
const imageSignatures: readonly RegExp[] = [
  // PNG, JPEG, GIF.
  /^89504e470d0a1a0a/,
  /^ffd8ff/,
  /^47494638/,
  // RIFF with WEBP; AVIF and HEIF.
  /^52494646.{8}57454250/,
  /^.{8}66747970/,
  // TIFF and BigTIFF in either byte order; BMP.
  /^(49492[ab]00|4d4d002[ab])/,
  /^424d/,
  // JPEG 2000 and JPEG XL, with and without a container.
  /^0000000c(6a502020|4a584c20)/,
  /^ff(0a|4f)/,
]

/** Tells whether bytes are the start of an image in a format of tiles. */
export function isTileImage(start: Uint8Array): boolean {
  const bytes = Array.from(start.subarray(0, tileSignatureBytes), (byte) =>
    byte.toString(16).padStart(2, '0'),
  )
  const text = bytes.join('')
  return imageSignatures.some((signature) => signature.test(text))
}
