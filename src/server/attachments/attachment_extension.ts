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
import { isForeign } from '../../store/feature/feature_table.ts'
import type { Layer } from '../../store/layer/stored_layer.ts'
import { lockUploads, type StoredUpload } from '../../store/upload/stored_upload.ts'
import type { FeatureBody } from '../features/feature_content.ts'
import { invalidAt } from '../http/invalid_request.ts'
import { checkAttachmentName, newAttachment } from './attachment_entry.ts'

type Extensions = NonNullable<FeatureBody['extensions']>
type Entry = NonNullable<Extensions['attachment']>[number]

/** Change of the extensions of a feature; absent members stay unchanged. */
export interface ExtensionChange {
  readonly description?: string | null
  /** Complete new list of attachments. */
  readonly attachment?: readonly Entry[]
}

/** Reads the extensions of a feature in a request. Null means no attachments, as in answers. */
export function readExtensions({ extensions }: FeatureBody): ExtensionChange {
  const { description, attachment } = extensions ?? {}
  return {
    ...(description === undefined ? {} : { description }),
    ...(attachment === undefined ? {} : { attachment: attachment ?? [] }),
  }
}

const pointer: Pointer = '/extensions/attachment'

/**
 * Writes the extensions of existing features, in few statements. Ignores features in external databases, for which
 * `readContent` rejects extensions.
 *
 * @returns digests of new attachments
 * @throws {Problem} upload/not-found, request/invalid
 */
export async function writeExtensionsOf(
  tx: Queryable,
  { layer, userId }: ExtensionTarget,
  all: ReadonlyMap<number, ExtensionChange>,
): Promise<string[]> {
  const changes = new Map([...all].filter(([, change]) => Object.keys(change).length > 0))
  return isForeign(layer) || changes.size === 0
    ? []
    : writeExtensions(tx, { layerId: layer.resourceId, userId }, changes)
}

/** Layer whose features get extensions, and the user whose uploads they refer to. */
export interface ExtensionTarget {
  readonly layer: Layer
  readonly userId: number
}

async function writeExtensions(
  tx: Queryable,
  { layerId, userId }: { readonly layerId: number; readonly userId: number },
  changes: ReadonlyMap<number, ExtensionChange>,
): Promise<string[]> {
  const descriptions = [...changes].flatMap(([id, { description }]) =>
    description === undefined ? [] : [[id, description] as const],
  )
  await writeDescriptions(tx, layerId, new Map(descriptions))
  const entries = [...changes].flatMap(([featureId, { attachment = [] }]) =>
    attachment.map((entry, at): ListedEntry => ({ featureId, entry, pointer: joinPointer(pointer, at) })),
  )
  const keptIds = await keepListed(tx, layerId, entries)
  const featureIds = [...changes].flatMap(([id, { attachment }]) => (attachment === undefined ? [] : [id]))
  await deleteOtherAttachments(tx, layerId, { featureIds, keptIds })
  const created = await createListed(tx, userId, entries)
  await insertAttachments(tx, layerId, created)
  return created.map(({ digest }) => digest)
}

interface ListedEntry {
  readonly featureId: number
  readonly entry: Entry
  readonly pointer: Pointer
}

/** Updates the attachments that are kept, and returns their ids. */
async function keepListed(
  tx: Queryable,
  layerId: number,
  entries: readonly ListedEntry[],
): Promise<number[]> {
  const kept = entries.filter(({ entry }) => entry.id != null)
  const found = await updateAttachments(tx, layerId, kept.map(changeOf))
  for (const { featureId, entry, pointer } of kept)
    if (found.get(entry.id ?? 0) !== featureId)
      throw invalidAt(joinPointer(pointer, 'id'), `feature ${featureId} has no attachment ${entry.id}`)
  return kept.map(({ entry }) => entry.id ?? 0)
}

function changeOf({ featureId, entry, pointer }: ListedEntry): AttachmentChange {
  const { id, name, description } = entry
  if (!Number.isSafeInteger(id))
    throw invalidAt(joinPointer(pointer, 'id'), `feature ${featureId} has no attachment ${id}`)
  if (name !== undefined) checkAttachmentName(name, joinPointer(pointer, 'name'))
  return { id: id ?? 0, name, description }
}

async function createListed(
  tx: Queryable,
  userId: number,
  entries: readonly ListedEntry[],
): Promise<NewAttachment[]> {
  const fresh = entries.filter(({ entry }) => entry.id == null)
  const ids = fresh.flatMap(({ entry }) => entry.file_upload?.id ?? [])
  const uploads = await lockUploads(tx, { ids, userId })
  return fresh.map((one) => createOne(one, uploads))
}

function createOne(
  { featureId, entry, pointer }: ListedEntry,
  uploads: ReadonlyMap<string, StoredUpload>,
): NewAttachment {
  const { file_upload: upload } = entry
  if (upload == null)
    throw invalidAt(pointer, 'expected the id of an attachment of the feature, or "file_upload"')
  return newAttachment({ ...entry, file_upload: upload }, { featureId, pointer, uploads })
}
