import type { MetadataValue } from '../../../contract/bodies/resource.ts'
import { fieldMarkKey, formatFieldMark, type SetFields } from '../../../contract/field_marks.ts'
import { formatManager, markerKeys } from '../../../contract/markers.ts'
import type { WantedResource } from '../../../manifest/manifest.ts'
import type { ActualResource } from '../../model/actual_tree.ts'
import type { RecordChange } from '../../model/change.ts'
import {
  digestFields,
  findRecorded,
  isRecorded,
  type OwnedFields,
  type RecordedFields,
} from '../../model/owned_fields.ts'
import type { Principals } from '../../model/principals.ts'
import { recordsFormerKeys } from '../match/former_keys.ts'
import type { ContestedFields } from './contested_fields.ts'
import { type RecordContext, records } from './removed_fields.ts'

/** What the records of a resource depend on, besides its block. */
export interface RecordInput {
  readonly actual: ActualResource
  readonly context: RecordContext
  /** Whether the resource is written anyway. */
  readonly isChanged: boolean
  /** Whether this manifest becomes the manager. */
  readonly adopts: boolean
  /** Fields that this manifest takes from others. */
  readonly taken: readonly ContestedFields[]
}

/** Metadata items that record who sets which fields. */
export interface PlannedMarks {
  readonly items: Readonly<Record<string, MetadataValue>>
  /** Present if the names of the fields of this manifest change. */
  readonly records?: RecordChange
}

/** Plans the records of the fields that manifests set on a resource. Empty if the account cannot read the records. */
export function planMarks(wanted: WantedResource, input: RecordInput): PlannedMarks {
  const { actual, context } = input
  if (actual.resmeta === undefined) return { items: {} }
  if (wanted.records !== undefined) return { items: writeMarks(actual, wanted.records) }
  if (!records(wanted, actual, context.manifestId)) return { items: {} }
  const { owned, recorded } = context
  // The manager of a resource records what it sets with its next change.
  const isManaged = actual.manager === context.manifestId
  const isRenamed = !input.isChanged && recordsFormerKeys(recorded, actual, context)
  if (isManaged && !input.isChanged && !isRenamed) return { items: {} }
  const isSame =
    !isRenamed && (isManaged || (recorded === undefined ? owned.size === 0 : isRecorded(recorded, owned)))
  if (isSame && !input.isChanged) return { items: {} }
  const kept = [...(context.kept ?? [])].map((name) => [name, recorded?.fields.get(name) ?? ''] as const)
  const fields = new Map([...digestFields(owned, actual.cls), ...kept])
  const marks = new Map<string, SetFields>([[context.manifestId, fields]])
  for (const { manifest, names } of input.taken)
    marks.set(manifest, without(actual, { manifest, names }, context.names.principals))
  if (input.adopts && actual.manager !== undefined) marks.set(actual.manager, new Map())
  return {
    items: { ...withoutEarlier(actual, context.manifestId), ...writeMarks(actual, marks) },
    ...(isSame ? {} : { records: { ...compareNames(recorded, owned), ...(isRenamed ? { renamed } : {}) } }),
  }
}

const renamed = true

function without(
  actual: ActualResource,
  { manifest, names }: Pick<ContestedFields, 'manifest' | 'names'>,
  principals: Principals,
): SetFields {
  const fields = findRecorded(actual, manifest, principals)?.fields ?? new Map<string, string>()
  return new Map([...fields].filter(([name]) => !names.has(name)))
}

function writeMarks(
  { id, marks }: ActualResource,
  records: ReadonlyMap<string, SetFields>,
): Record<string, MetadataValue> {
  const items: Record<string, MetadataValue> = {}
  for (const [manifest, fields] of records) {
    const key = fieldMarkKey(manifest)
    const value = fields.size === 0 ? null : formatFieldMark(id, fields)
    if (value !== (marks[key] ?? null)) items[key] = value
  }
  return items
}

/** A manager marker of an earlier version lists blocks, which the record replaces. */
function withoutEarlier(
  { id, manager, marks }: ActualResource,
  manifest: string,
): Record<string, MetadataValue> {
  const marker = formatManager({ manifest, id })
  return manager !== manifest || marks[markerKeys.manager] === marker ? {} : { [markerKeys.manager]: marker }
}

function compareNames(recorded: RecordedFields | undefined, owned: OwnedFields): RecordChange {
  const before = recorded?.fields ?? new Map<string, string>()
  return {
    gained: [...owned.keys()].filter((name) => !before.has(name)),
    lost: [...before.keys()].filter((name) => !owned.has(name)),
  }
}
