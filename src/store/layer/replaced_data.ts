import type { Queryable } from '../../database/database.ts'
import { countLostExtensions, type ExtensionCounts } from '../attachment/attachment.ts'
import type { PlannedField } from './plan_fields.ts'
import type { Layer } from './stored_layer.ts'

/** Data of a layer that staged features would replace. */
export interface ReplacedData {
  readonly featureCount: number
  readonly dataVersion: number
  /** Fields of the layer with values, of which the staged features have none; empty where there are no features. */
  readonly lostFields: readonly LostField[]
  /** Attachments and descriptions of features, which have other ids afterwards or are gone. */
  readonly lost: ExtensionCounts
}

/** A field, and how many features have a value in it. */
export interface LostField {
  readonly keyname: string
  readonly valueCount: number
}

/** A filled table of features. */
export interface StagedTable {
  readonly tableName: string
  readonly fields: readonly PlannedField[]
  /** Whether ids come from the source: the same feature has the same id when it comes again. */
  readonly hasIds: boolean
}

/** Reads what a layer has, and which of its fields would lose all values if staged features replaced its own. */
export async function readReplacedData(
  tx: Queryable,
  layer: Layer,
  staged: StagedTable,
): Promise<ReplacedData> {
  const { tableName, dataVersion, resourceId } = layer
  if (tableName === null)
    return { featureCount: 0, dataVersion, lostFields: [], lost: { attachments: 0, descriptions: 0 } }
  const lost = await countLostExtensions(tx, resourceId, staged.hasIds ? staged.tableName : undefined)
  const given = await findFilledFields(tx, staged)
  const missing = given === undefined ? [] : layer.fields.filter(({ keyname }) => !given.has(keyname))
  const counts = missing.map(({ columnName }) => `, count(${columnName})::int as ${columnName}`)
  const [row] = await tx.query<Record<string, number>>(
    `select count(*)::int as total${counts.join('')} from ${tableName}`,
  )
  const lostFields = missing.flatMap(({ keyname, columnName }) => {
    const valueCount = row?.[columnName] ?? 0
    return valueCount > 0 ? [{ keyname, valueCount }] : []
  })
  return { featureCount: row?.total ?? 0, dataVersion, lostFields, lost }
}

/** Finds the fields of which at least one row has a value; undefined where there are no rows. */
async function findFilledFields(
  tx: Queryable,
  { tableName, fields }: StagedTable,
): Promise<ReadonlySet<string> | undefined> {
  // Each search ends with the first value that it meets.
  const searches = fields.map(
    ({ columnName: column }) =>
      `, exists (select from ${tableName} where ${column} is not null) as ${column}`,
  )
  const [row] = await tx.query<Record<string, boolean>>(
    `select exists (select from ${tableName}) as filled${searches.join('')}`,
  )
  if (row?.filled !== true) return undefined
  return new Set(fields.filter(({ columnName }) => row[columnName]).map(({ keyname }) => keyname))
}
