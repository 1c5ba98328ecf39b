import type { TObject } from 'typebox'
import { Type } from '../schema/type.ts'
import { type GeoserviceType, geoserviceMembers, geoserviceTypeMembers } from './catalog.ts'
import { GeoserviceBodySchema, IconBodySchema } from './catalog_edit.ts'

const { icon } = GeoserviceBodySchema.properties
const { name, guid } = IconBodySchema.properties

const schemaOfType = (type: GeoserviceType) =>
  Type.Object({ ...geoserviceMembers, ...geoserviceTypeMembers[type], icon })

/** Members of geoservices that manifests write and plans compare, by type. */
export const geoserviceSchemas: Readonly<Record<GeoserviceType, TObject>> = {
  tms: schemaOfType('tms'),
  wms: schemaOfType('wms'),
  wfs: schemaOfType('wfs'),
  geojson: schemaOfType('geojson'),
}

/** Members of icons that manifests write and plans compare, in addition to the image. */
export const IconMembersSchema = Type.Object({ name, guid })
