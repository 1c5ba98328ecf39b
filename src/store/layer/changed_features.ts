import type { Queryable } from '../../database/database.ts'

/** Features that changed after one version of the data of a layer, up to another. */
interface RecordedFeatures {
  readonly since: number
  readonly version: number
  /** May repeat; null if they are unknown. */
  readonly ids: readonly number[] | null
}

/** Maximum number of features that the record of a version names. */
const maxFeatures = 64

/** Maximum number of records that are read for a layer. */
const maxRecords = 16

/** Maximum number of features that are listed of a layer. */
const maxListed = 100

/** SQL of the ids of the features in a row set, as a record of a version has them. */
export const idsSql = (rows: string) =>
  `case when (select count(*) from (select from ${rows} limit ${maxFeatures + 1}) few) <= ${maxFeatures}
    then array(select id::bigint from ${rows}) end`

/** SQL of two lists of ids in one record. */
export const joinedIdsSql = (one: string, other: string) =>
  `case when cardinality(${one}) + cardinality(${other}) <= ${maxFeatures} then ${one} || ${other} end`

/** Merges the features of records into those of one record; null if they are too many, or unknown. */
export function mergeFeatures(records: readonly Pick<RecordedFeatures, 'ids'>[]): number[] | null {
  const merged = new Set<number>()
  for (const { ids } of records) {
    if (ids === null) return null
    for (const id of ids) merged.add(id)
  }
  return merged.size > maxFeatures ? null : [...merged]
}

/** Features that changed after a version of the data of a layer, up to the next such list, or to now. */
export interface ChangedFeatures {
  readonly since: number
  readonly features: readonly number[]
}

/** Finds the features that changed last, newest change first, as far as they are known, by layer. */
export async function findChangedFeatures(
  database: Queryable,
  layerIds: readonly number[],
): Promise<ReadonlyMap<number, readonly ChangedFeatures[]>> {
  const rows = await database.query<{ id: number; dataVersion: number; records: RecordedFeatures[] }>(
    `select l.resource_id as id, l.data_version as "dataVersion", (
       select coalesce(json_agg(json_build_object('since', c.since, 'version', c.version, 'ids', c.ids)), '[]')
         from (select * from layer_change where layer_id = l.resource_id
                order by version desc limit ${maxRecords}) c) as records
       from layer l where l.resource_id = any($1::int[])`,
    [layerIds],
  )
  return new Map(rows.map(({ id, dataVersion, records }) => [id, listKnown(dataVersion, records)]))
}

/** Lists the records from the newest version back to the first whose features are not known. Pure. */
export function listKnown(dataVersion: number, records: readonly RecordedFeatures[]): ChangedFeatures[] {
  const known: ChangedFeatures[] = []
  let [at, count] = [dataVersion, 0]
  for (const { since, version, ids } of records) {
    if (version !== at || ids === null) break
    const features = [...new Set(ids)].sort((a, b) => a - b)
    count += features.length
    if (count > maxListed) break
    known.push({ since, features })
    at = since
  }
  return known
}
