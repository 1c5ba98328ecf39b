import { type GeoserviceType, geoserviceTypes } from '../../contract/catalog/catalog.ts'
import type { CatalogKind } from '../../contract/catalog/catalog_edit.ts'
import { geoserviceSchemas, IconMembersSchema } from '../../contract/catalog/catalog_member.ts'
import type { Schema } from '../../contract/schema/schema.ts'

/** Returns the schemas of the members of a record, by name. */
export function memberSchemas(
  kind: CatalogKind,
  members: Readonly<Record<string, unknown>>,
): Readonly<Record<string, Schema>> {
  const schema = kind === 'icon' ? IconMembersSchema : geoserviceSchemas[typeOf(members)]
  return schema.properties as unknown as Readonly<Record<string, Schema>>
}

function typeOf({ type }: Readonly<Record<string, unknown>>): GeoserviceType {
  return geoserviceTypes.find((one) => one === type) ?? 'geojson'
}
