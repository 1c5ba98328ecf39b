import { joinPointer, type Pointer } from '../../core/pointer.ts'
import type { Queryable } from '../../database/database.ts'
import {
  type AttachmentChange,
  deleteOtherAttachments,
  insertAttachments,
  type NewAttachment,
  updateAttachments,
  writeDescriptions,
} from '../../store/attachment/attachment.ts'
import { isForeign } from '../../store/feature/foreign_table.ts'
import type { Layer } from '../../store/layer/stored_layer.ts'
import { lockUploads, type StoredUpload } from '../../store/upload/stored_upload.ts'
import type { FeatureBody } from '../features/feature_content.ts'
import { invalidAt } from '../http/invalid_request.ts'
import { checkAttachmentName, newAttachment } from './attachment_entry.ts'

type Extensions = NonNullable<FeatureBody['extensions']>
type Entry = NonNullable<Extensions['attachment']>[number]

/** What a request writes of a feature beside geometry and fields; what is absent stays. */
export interface ExtensionChange {
  readonly description?: string | null
  /** All attachments there are to be. */
  readonly attachment?: readonly Entry[]
}

/** Reads what a request writes beside geometry and fields. Null stands for no attachment, as in answers. */
export function readExtensions({ extensions }: FeatureBody): ExtensionChange {
  const { description, attachment } = extensions ?? {}
  return {
    ...(description === undefined ? {} : { description }),
    ...(attachment === undefined ? {} : { attachment: attachment ?? [] }),
  }
}

const pointer: Pointer = '/extensions/attachment'

/**
 * Writes what features have beside geometry and fields, in few statements; the features stand already. Features of
 * another database have nothing, and `readContent` has seen to it that they get nothing.
 *
 * @returns digests of what was attached
 * @throws {Problem} upload/not-found, request/invalid
 */
export async function writeExtensionsOf(
  tx: Queryable,
  layer: Layer,
  all: ReadonlyMap<number, ExtensionChange>,
): Promise<string[]> {
  const changes = new Map([...all].filter(([, change]) => Object.keys(change).length > 0))
  return isForeign(layer) || changes.size === 0 ? [] : writeExtensions(tx, layer.resourceId, changes)
}

async function writeExtensions(
  tx: Queryable,
  layerId: number,
  changes: ReadonlyMap<number, ExtensionChange>,
): Promise<string[]> {
  const descriptions = [...changes].flatMap(([id, { description }]) =>
    description === undefined ? [] : [[id, description] as const],
  )
  await writeDescriptions(tx, layerId, new Map(descriptions))
  const entries = [...changes].flatMap(([featureId, { attachment = [] }]) =>
    attachment.map((entry, at): Listed => ({ featureId, entry, pointer: joinPointer(pointer, at) })),
  )
  const keptIds = await keepListed(tx, layerId, entries)
  const featureIds = [...changes].flatMap(([id, { attachment }]) => (attachment === undefined ? [] : [id]))
  await deleteOtherAttachments(tx, layerId, { featureIds, keptIds })
  const made = await makeListed(tx, entries)
  await insertAttachments(tx, layerId, made)
  return made.map(({ digest }) => digest)
}

interface Listed {
  readonly featureId: number
  readonly entry: Entry
  readonly pointer: Pointer
}

/** Changes the attachments that stay; gives their ids. */
async function keepListed(tx: Queryable, layerId: number, entries: readonly Listed[]): Promise<number[]> {
  const kept = entries.filter(({ entry }) => entry.id != null)
  const found = await updateAttachments(tx, layerId, kept.map(changeOf))
  for (const { featureId, entry, pointer } of kept)
    if (found.get(entry.id ?? 0) !== featureId)
      throw invalidAt(joinPointer(pointer, 'id'), `feature ${featureId} has no attachment ${entry.id}`)
  return kept.map(({ entry }) => entry.id ?? 0)
}

function changeOf({ featureId, entry, pointer }: Listed): AttachmentChange {
  const { id, name, description } = entry
  if (!Number.isSafeInteger(id))
    throw invalidAt(joinPointer(pointer, 'id'), `feature ${featureId} has no attachment ${id}`)
  if (name !== undefined) checkAttachmentName(name, joinPointer(pointer, 'name'))
  return { id: id ?? 0, name, description }
}

async function makeListed(tx: Queryable, entries: readonly Listed[]): Promise<NewAttachment[]> {
  const fresh = entries.filter(({ entry }) => entry.id == null)
  const uploads = await lockUploads(
    tx,
    fresh.flatMap(({ entry }) => entry.file_upload?.id ?? []),
  )
  return fresh.map((one) => makeOne(one, uploads))
}

function makeOne(
  { featureId, entry, pointer }: Listed,
  uploads: ReadonlyMap<string, StoredUpload>,
): NewAttachment {
  const { file_upload: upload } = entry
  if (upload == null)
    throw invalidAt(pointer, 'give the id of an attachment of the feature, or the file_upload of a new one')
  return newAttachment({ ...entry, file_upload: upload }, { featureId, pointer, uploads })
}
