import type { Database } from '../../../database/database.ts'
import type { Staged } from '../../../import/stage_source.ts'
import { readReplacedData } from '../../../store/layer/replaced_data.ts'
import { dropStaging } from '../../../store/layer/staging_table.ts'
import { findLayers } from '../../../store/layer/stored_layer.ts'
import { findPreparedSource, insertPreparedSource } from '../../../store/upload/prepared_source.ts'
import type { Preparation, PreparedAnswer, ReadSource, SourceBehaviour } from '../behaviour.ts'
import { encodeReport } from '../import_report.ts'
import { prepareSource } from './vector_layer_source.ts'

/** Prepared sources of vector layers: staged features, kept for a day. */
export const vectorSource: SourceBehaviour<'vector_layer'> = {
  async read(preparation) {
    const source = await prepareSource(preparation)
    if (source === undefined) return undefined
    try {
      return await describeSource(preparation, source.staged)
    } catch (error) {
      await source.discard()
      throw error
    }
  },
  async drop(database, source) {
    const found = await findPreparedSource(database, source)
    if (found !== undefined) await dropStaging(database, found.tableName)
    return found !== undefined
  },
}

async function describeSource(
  { context: { database }, caller, id }: Preparation<'vector_layer'>,
  staged: Staged,
): Promise<ReadSource> {
  const { discard, tableName, ...rest } = staged
  const prepared = { userId: caller.id, layerId: id ?? null, tableName, staged: rest }
  const replaces = id === undefined ? {} : await describeReplaced(database, id, staged)
  return {
    keep: async (tx) => ({
      id: await insertPreparedSource(tx, prepared),
      ...describeStaged(staged),
      ...replaces,
    }),
    discard,
  }
}

function describeStaged({ fields, report }: Staged): Omit<PreparedAnswer, 'id'> {
  const { count, badCount } = report
  return {
    feature_count: count,
    bad_count: badCount,
    fields: fields.map(({ keyname, datatype, displayName = keyname }) => ({
      keyname,
      datatype,
      display_name: displayName,
    })),
    report: encodeReport(report),
  }
}

async function describeReplaced(
  database: Database,
  id: number,
  staged: Staged,
): Promise<Pick<PreparedAnswer, 'replaces'>> {
  const layer = (await findLayers(database, [id])).get(id)
  if (layer === undefined) return {}
  const { featureCount, dataVersion, lostFields, lost } = await readReplacedData(database, layer, staged)
  const replaces = {
    feature_count: featureCount,
    data_version: dataVersion,
    lost_fields: lostFields.map(({ keyname, valueCount }) => ({ keyname, value_count: valueCount })),
    lost_attachments: lost.attachments,
    lost_descriptions: lost.descriptions,
  }
  return { replaces }
}
