import type { Field } from '../../contract/classes/feature_layer.ts'
import type { GeometryType } from '../../contract/geometry.ts'
import type { WantedResource } from '../../manifest/manifest.ts'
import type { DataChange, LostField } from '../../transfer/data_loss.ts'
import { readSource } from '../../transfer/read_source.ts'
import type { ActualResource } from '../model/actual_tree.ts'
import { loadOptionsOf } from './decide_load.ts'
import type { PlanReader } from './plan_reader.ts'

/** A layer whose data a plan would replace. */
export interface LoadQuestion {
  readonly wanted: WantedResource
  readonly actual: ActualResource
  /** Number of features on the server. */
  readonly before: number
}

/**
 * Reads the source of a layer on this machine and computes the changes that a load would make, except attachments.
 * Null if the source cannot be read on this machine.
 *
 * @throws {Problem} http/*, pipeline/interrupted
 */
export async function readLoadChange(
  reader: Pick<PlanReader, 'countValues'>,
  { wanted, actual, before }: LoadQuestion,
  signal: AbortSignal | undefined,
): Promise<DataChange | null> {
  const geometryType = actual.members.vector_layer?.geometry_type as GeometryType | undefined
  const path = wanted.data?.path ?? ''
  const contents = await readSource({ path, options: loadOptionsOf(wanted), geometryType, signal })
  if (contents === undefined) return null
  const { featureCount: after, filledFields } = contents
  const missing = after === 0 ? [] : fieldsOf(actual).filter(({ keyname }) => !filledFields.includes(keyname))
  const lostFields: LostField[] = []
  for (const field of missing) {
    const valueCount = await reader.countValues({ ...field, id: actual.id })
    if (valueCount !== 0) lostFields.push({ keyname: field.keyname, valueCount })
  }
  return { before, after, lostFields, lostAttachments: 0, lostDescriptions: 0 }
}

type NamedField = Pick<Field, 'keyname' | 'datatype'>

function fieldsOf({ members }: ActualResource): readonly NamedField[] {
  return (members.feature_layer?.fields as readonly NamedField[] | undefined) ?? []
}
