import { readCopyRows, takeValue } from '../../core/copy_rows.ts'
import type { RowSet } from '../../gdal/read_vector.ts'
import { type ReadableSource, scanSource } from '../read_source.ts'
import type { SyncTarget } from './compare_features.ts'
import type { FeatureReader } from './feature_reader.ts'
import { RowDigester } from './row_digest.ts'
import { leadingValues, type RowField } from './row_entry.ts'

/** A source and a layer that may have the same features. */
export interface SameFeaturesQuestion {
  readonly source: Omit<ReadableSource, 'geometryType'>
  readonly target: SyncTarget
}

/**
 * Tells whether a source and a layer have the same features with the same fields, in any order; ids do not count. Undefined
 * if the server does not compute digests, or the layer has no fields.
 *
 * @throws {Problem} source/*, gdal/*, http/*
 */
export async function haveSameFeatures(
  reader: FeatureReader,
  { source, target }: SameFeaturesQuestion,
): Promise<boolean | undefined> {
  const { id, fields, geometryType, srs } = target
  const [first] = fields
  if (first === undefined) return undefined
  const names = fields.map(({ keyname }) => keyname)
  const digests = await reader.readDigests({ id, key: [first.keyname], fields: names })
  if (digests === undefined) return undefined
  const left = digests.countContents()
  let isSame = true
  const take = async (rows: RowSet) => {
    isSame = await takeFeatures(rows, fields, left)
  }
  await scanSource({ ...source, geometryType }, { srs, wanted: { fields, keepsOthers: true }, take })
  return isSame && left.size === 0
}

/** Takes the features of a source from the counts of a layer; tells whether all of them were there. */
async function takeFeatures(
  { layout, copies }: RowSet,
  fields: SyncTarget['fields'],
  left: Map<string, number>,
): Promise<boolean> {
  const names = new Set(fields.map(({ keyname }) => keyname))
  const columns = new Map(layout.keynames.map((keyname, column) => [keyname, column]))
  let isSame = layout.keynames.every((keyname) => names.has(keyname))
  const place = ({ keyname, datatype }: SyncTarget['fields'][number]): RowField => ({
    keyname,
    datatype,
    column: columns.get(keyname) ?? -1,
  })
  const digester = new RowDigester(['geometry', ...fields.map(place)])
  const width = leadingValues + layout.fields.length
  const ats = new Int32Array(width)
  const lengths = new Int32Array(width)
  for await (const copy of copies)
    await readCopyRows(copy, (row) => {
      for (let index = 0; index < width; index += 1) {
        const value = takeValue(row)
        ats[index] = value.at
        lengths[index] = value.length
      }
      if (isSame) isSame = takeOne(left, digester.digest({ bytes: row.bytes, view: row.view, ats, lengths }))
    })
  return isSame
}

function takeOne(left: Map<string, number>, digest: string): boolean {
  const count = left.get(digest)
  if (count === undefined) return false
  if (count === 1) left.delete(digest)
  else left.set(digest, count - 1)
  return true
}
