import { foreignMembers, GeoserviceDetailSchema, type GeoserviceType } from '../../../contract/catalog.ts'
import { GeoserviceRecordSchema } from '../../../contract/catalog_edit.ts'
import { geoserviceSchemas } from '../../../contract/catalog_member.ts'
import { findSchemaFor, type Schema } from '../../../contract/schema.ts'
import type { ActualRecord } from '../actual_catalog.ts'
import type { ImportRow } from './import_row.ts'

type Members = Readonly<Record<string, unknown>>

/** Members that the API serves and that its authors do not set. */
const served: readonly string[] = [
  ...Object.keys({ ...GeoserviceDetailSchema.properties, ...GeoserviceRecordSchema.properties }),
].filter(
  (name) => !Object.values(geoserviceSchemas).some(({ properties }) => Object.hasOwn(properties, name)),
)

/**
 * Returns the members that an import sets: without those that the server sets, with the address as its author wrote it.
 * Members that the record requires come from the record it changes, if the row does not have them.
 */
export function importedMembers({ members }: ImportRow, actual: ActualRecord | undefined): Members {
  const { origin_url: origin, ...rest } = members
  const own = Object.entries(rest).filter(([name]) => !served.includes(name))
  const { guid, ...written } = Object.fromEntries(own)
  return {
    ...requiredOf(actual),
    ...written,
    ...(isEmpty(origin) ? {} : { url: origin }),
    ...(isEmpty(guid) ? {} : { guid: String(guid).toLowerCase() }),
  }
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

/** Converts the cells of a table to the types of their members; empty cells are defaults. */
export function convertCells(members: Members, type: GeoserviceType): Members {
  const schemas = geoserviceSchemas[type].properties as unknown as Readonly<Record<string, Schema>>
  const converted = Object.entries(members).map(([name, value]) => {
    const schema = schemas[name]
    return [name, schema === undefined || typeof value !== 'string' ? value : convertCell(value, schema)]
  })
  return Object.fromEntries(converted)
}

function convertCell(cell: string, schema: Schema): unknown {
  if (cell === '' && schema.default !== undefined) return schema.default
  const { type } = findSchemaFor(schema, cell) ?? schema
  if (type === 'integer' && /^-?\d{1,15}$/.test(cell)) return Number(cell)
  if (type === 'boolean' && /^(?:true|1)$/i.test(cell)) return true
  if (type === 'boolean' && /^(?:false|0)$/i.test(cell)) return false
  return cell
}
