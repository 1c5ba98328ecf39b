import { extname } from 'node:path'

/** Media types by file extension, for files sent without a media type. */
const byExtension: Readonly<Record<string, string>> = {
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

/** Media type of unknown content. */
export const anyMediaType = 'application/octet-stream'

/** Returns the media type for the extension of a file name. */
export function mediaTypeOf(name: string): string {
  return byExtension[extname(name).toLowerCase()] ?? anyMediaType
}

const word = '[\\w!#$&^.+-]+'
const mediaType = new RegExp(`^${word}/${word}(; ?${word}="?${word}"?)*$`)

/** Tells whether a string is a valid media type, with or without parameters. */
export function isMediaType(text: string): boolean {
  return text.length <= 255 && mediaType.test(text)
}
