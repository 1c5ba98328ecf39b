import {
  foreignMembers,
  GeoserviceDetailSchema,
  type GeoserviceType,
} from '../../../contract/catalog/catalog.ts'
import { GeoserviceRecordSchema } from '../../../contract/catalog/catalog_edit.ts'
import { geoserviceSchemas } from '../../../contract/catalog/catalog_member.ts'
import { normalizeTexts } from '../../../contract/catalog/catalog_text.ts'
import { findSchemaFor, type Schema } from '../../../contract/schema/schema.ts'
import type { ActualRecord } from '../actual_catalog.ts'
import type { ImportRow } from './import_row.ts'

type Members = Readonly<Record<string, unknown>>

const written = Object.values(geoserviceSchemas).flatMap(({ properties }) => Object.keys(properties))

/** Members that the API serves and that its authors do not set. */
const served: readonly string[] = [
  ...Object.keys({ ...GeoserviceDetailSchema.properties, ...GeoserviceRecordSchema.properties }),
].filter((name) => !written.includes(name))

/** Members that say which icon of another server a record has. */
export const iconMembers = ['icon_guid', 'icon_name'] as const

/** Names of the members that an imported record may have. */
export const importedNames: readonly string[] = [...new Set([...written, ...served, ...iconMembers])]

/**
 * Returns the members that an import sets: without those that the server sets, with the address as its author wrote it.
 * Members that the record requires come from the record it changes, if the row does not have them.
 */
export function importedMembers({ members }: ImportRow, actual: ActualRecord | undefined): Members {
  const { origin_url: origin, ...rest } = members
  const own = Object.entries(rest).filter(([name]) => !served.includes(name))
  const { guid, ...others } = Object.fromEntries(own)
  return normalizeTexts({
    ...requiredOf(actual),
    ...others,
    ...(typeof others.name === 'string' ? { name: others.name.trim() } : {}),
    ...(isEmpty(origin) ? {} : { url: origin }),
    ...(isEmpty(guid) ? {} : { guid: String(guid).toLowerCase() }),
  })
}

const isEmpty = (value: unknown) => value === undefined || value === null || value === ''

function requiredOf(actual: ActualRecord | undefined): Members {
  if (actual === undefined) return {}
  const { name, type, url, layer } = actual.members
  return { name, type, url, ...(layer === undefined ? {} : { layer }) }
}

/** Removes members of other types without a value, which tables with services of several types have. */
export function dropForeignMembers(members: Members, type: GeoserviceType): Members {
  const foreign = foreignMembers(type)
  const kept = Object.entries(members).filter(
    ([name, value]) => !foreign.includes(name) || !(isEmpty(value) || value === false || value === 'false'),
  )
  return Object.fromEntries(kept)
}

/** Converts the cells of a table to the types of their members; null is the default. */
export function convertCells(members: Members, type: GeoserviceType): Members {
  const schemas = geoserviceSchemas[type].properties as unknown as Readonly<Record<string, Schema>>
  const converted = Object.entries(members).map(([name, value]) => {
    const schema = schemas[name]
    if (value === null) return [name, schema?.default ?? null]
    return [name, schema === undefined || typeof value !== 'string' ? value : convertCell(value, schema)]
  })
  return Object.fromEntries(converted)
}

function convertCell(cell: string, schema: Schema): unknown {
  const { type } = findSchemaFor(schema, cell) ?? schema
  const text = cell.trim()
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (type === 'boolean' && /^(?:true|1)$/i.test(text)) return true
  if (type === 'boolean' && /^(?:false|0)$/i.test(text)) return false
  return cell
}
