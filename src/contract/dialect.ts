/**
 * Names of the documents (left) and of the sister systems in the wild (right). Input is taken in both; output uses
 * the documents' names unless the sister dialect is asked for.
 */
export const sisterNames = {
  geodb_layer: 'postgis_layer',
  geodb_connection: 'postgis_connection',
  mapsrv_style: 'mapserver_style',
  desk_vector_style: 'qgis_vector_style',
  svc_mobile: 'ng_mobile',
} as const

/** Segment of component paths: `/api/component/core/…` and `/api/component/pyramid/…`. */
export const sisterSegment = { core: 'pyramid' } as const

/** Header of requests that says which names the answer is to have: `document` or `ngw`. */
export const dialectHeader = 'x-api-dialect'

/** Prefix of layer names in vector tiles. */
export const tileLayerPrefix = { document: 'svc:', sister: 'ngw:' } as const

/** Which names a server emits. */
export type Dialect = keyof typeof tileLayerPrefix

const toSister: ReadonlyMap<string, string> = new Map(Object.entries(sisterNames))
const toDocument: ReadonlyMap<string, string> = new Map(
  Object.entries(sisterNames).map(([ours, sister]) => [sister, ours]),
)

/** Gives the document's name of a class, member or value, in whichever spelling it comes. */
export function documentName(name: string): string {
  return toDocument.get(name) ?? name
}

/** Gives the name as a dialect writes it. */
export function dialectName(name: string, dialect: Dialect): string {
  return dialect === 'document' ? name : (toSister.get(name) ?? name)
}
