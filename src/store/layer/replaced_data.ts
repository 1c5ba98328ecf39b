import type { ExtensionCounts } from '../../core/extension_counts.ts'
import type { Queryable } from '../../database/database.ts'
import { countOrphanedExtensions } from '../attachment/attachment.ts'
import type { PlannedField } from './plan_fields.ts'
import type { Layer } from './stored_layer.ts'

/** Data of a layer that staged features would replace. */
export interface ReplacedData {
  readonly featureCount: number
  readonly dataVersion: number
  /**
   * Fields with values for which the staged features have no values; empty for a layer without features. An empty string
   * is not a value.
   */
  readonly lostFields: readonly LostField[]
  /** Attachments and descriptions of features that would be deleted or get another id. */
  readonly lost: ExtensionCounts
}

/** A field, and the number of features with a value in it. */
export interface LostField {
  readonly keyname: string
  readonly valueCount: number
}

/** A filled staging table. */
export interface StagedTable {
  readonly tableName: string
  readonly fields: readonly PlannedField[]
  /** Whether ids come from the source, so that features keep their id when they are loaded again. */
  readonly hasIds: boolean
}

/** Reads the size and version of a layer, and what it would lose if staged features replaced its own. */
export async function readReplacedData(
  tx: Queryable,
  layer: Layer,
  staged: StagedTable,
): Promise<ReplacedData> {
  const { tableName, dataVersion, resourceId } = layer
  if (tableName === null)
    return { featureCount: 0, dataVersion, lostFields: [], lost: { attachments: 0, descriptions: 0 } }
  const lost = await countOrphanedExtensions(tx, resourceId, staged.hasIds ? staged.tableName : undefined)
  const filled = await findFilledFields(tx, staged)
  const missing = filled === undefined ? [] : layer.fields.filter(({ keyname }) => !filled.has(keyname))
  const counts = missing.map((field) => `, count(${fieldValue(field)})::int as ${field.columnName}`)
  const [row] = await tx.query<Record<string, number>>(
    `select count(*)::int as total${counts.join('')} from ${tableName}`,
  )
  const lostFields = missing.flatMap(({ keyname, columnName }) => {
    const valueCount = row?.[columnName] ?? 0
    return valueCount > 0 ? [{ keyname, valueCount }] : []
  })
  return { featureCount: row?.total ?? 0, dataVersion, lostFields, lost }
}

/** Finds the fields with a value in at least one row; undefined for an empty table. */
async function findFilledFields(
  tx: Queryable,
  { tableName, fields }: StagedTable,
): Promise<ReadonlySet<string> | undefined> {
  // Each search stops at the first value.
  const searches = fields.map(
    (field) =>
      `, exists (select from ${tableName} where ${fieldValue(field)} is not null) as ${field.columnName}`,
  )
  const [row] = await tx.query<Record<string, boolean>>(
    `select exists (select from ${tableName}) as filled${searches.join('')}`,
  )
  if (row?.filled !== true) return undefined
  return new Set(fields.filter(({ columnName }) => row[columnName]).map(({ keyname }) => keyname))
}

/** SQL of the value of a field. Tables of text have no null, but empty strings. */
function fieldValue({ columnName, datatype }: Pick<PlannedField, 'columnName' | 'datatype'>): string {
  return datatype === 'STRING' ? `nullif(${columnName}, '')` : columnName
}
