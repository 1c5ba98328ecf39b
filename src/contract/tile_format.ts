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
