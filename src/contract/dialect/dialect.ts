/**
 * Names in the API document (left) and in the NextGIS dialect (right). Requests may use both; responses use the names
 * of the document unless the client requests the NextGIS dialect.
 */
export const nextgisNames = {
  geodb_layer: 'postgis_layer',
  geodb_connection: 'postgis_connection',
  mapsrv_style: 'mapserver_style',
  desk_vector_style: 'qgis_vector_style',
  svc_mobile: 'ng_mobile',
} as const

/** Request header with the dialect of the response: `document` or `ngw`. */
export const dialectHeader = 'x-api-dialect'

/** Prefix of layer names in vector tiles. */
export const tileLayerPrefix = { document: 'svc:', nextgis: 'ngw:' } as const

/** Dialect of the names in responses. */
export type Dialect = keyof typeof tileLayerPrefix

const toNextgis: ReadonlyMap<string, string> = new Map(Object.entries(nextgisNames))
const toDocument: ReadonlyMap<string, string> = new Map(
  Object.entries(nextgisNames).map(([ours, theirs]) => [theirs, ours]),
)

/** Translates the name of a class, member or value from any dialect into that of the document. */
export function documentName(name: string): string {
  return toDocument.get(name) ?? name
}

/** Translates a name of the document into a dialect. */
export function dialectName(name: string, dialect: Dialect): string {
  return dialect === 'document' ? name : (toNextgis.get(name) ?? name)
}
