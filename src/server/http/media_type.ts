import { extname } from 'node:path'

/** Media types by the ending of file names, for files that come without one. */
const byEnding: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.geojson': 'application/geo+json',
  '.gif': 'image/gif',
  '.gpkg': 'application/geopackage+sqlite3',
  '.gpx': 'application/gpx+xml',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.kml': 'application/vnd.google-earth.kml+xml',
  '.kmz': 'application/vnd.google-earth.kmz',
  '.md': 'text/markdown',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.tif': 'image/tiff',
  '.tiff': 'image/tiff',
  '.txt': 'text/plain',
  '.webp': 'image/webp',
  '.xml': 'application/xml',
  '.zip': 'application/zip',
}

/** Media type of bytes that nothing is known of. */
export const anyMediaType = 'application/octet-stream'

/** Gives the media type that the ending of a file name speaks for. */
export function mediaTypeOf(name: string): string {
  return byEnding[extname(name).toLowerCase()] ?? anyMediaType
}

const word = '[\\w!#$&^.+-]+'
const mediaType = new RegExp(`^${word}/${word}(; ?${word}="?${word}"?)*$`)

/** Tells whether a text is a media type, with parameters or without, that may stand in a header. */
export function isMediaType(text: string): boolean {
  return text.length <= 255 && mediaType.test(text)
}
