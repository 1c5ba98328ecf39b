import type { CatalogRecords } from '../../api/read_catalog.ts'
import type { CatalogKind } from '../../contract/catalog/catalog_edit.ts'

/** The actual state of a record of the catalog. */
export interface ActualRecord {
  readonly kind: CatalogKind
  readonly id: number
  readonly version: number
  readonly keyname: string | null
  /** Id of the managing manifest. */
  readonly manifest: string | null
  readonly name: string
  readonly guid: string | undefined
  /** All members as in the API. */
  readonly members: Readonly<Record<string, unknown>>
}

/** The records of a catalog by kind and id. */
export type ActualCatalog = Readonly<Record<CatalogKind, ReadonlyMap<number, ActualRecord>>>

/** Indexes the records of a catalog. */
export function indexCatalog({ icons, geoservices }: CatalogRecords): ActualCatalog {
  return {
    icon: new Map(icons.map((record) => [record.id, actualRecord('icon', record)])),
    geoservice: new Map(geoservices.map((record) => [record.id, actualRecord('geoservice', record)])),
  }
}

type Wire = CatalogRecords['icons'][number] | CatalogRecords['geoservices'][number]

function actualRecord(kind: CatalogKind, wire: Wire): ActualRecord {
  const { id, version, keyname = null, manifest = null, name, guid } = wire
  return { kind, id, version, keyname, manifest, name, guid, members: wire }
}
