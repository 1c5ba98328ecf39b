import type { Upload } from '../../contract/bodies/resource.ts'
import { problem } from '../../contract/problems.ts'
import { extensionsOf, filesOf } from '../../contract/registry.ts'
import { uploadFile } from '../../transfer/upload_file.ts'
import type { AttachmentItem, Change, FileUpload } from '../model/change.ts'
import type { ApplyOptions } from './apply_options.ts'
import type { Body } from './request_body.ts'

/** Uploads of the files of a change, by path. */
export type FileUploads = ReadonlyMap<string, Upload>

/**
 * Uploads the new and changed files of a change, and those attached to features, one after the other.
 *
 * @throws {Problem} apply/stale if a file has changed since planning, file/*, and errors of the server
 */
export async function uploadFiles(
  { api, onEvent }: Pick<ApplyOptions, 'api' | 'onEvent'>,
  change: Change,
  signal: AbortSignal | undefined,
): Promise<FileUploads> {
  const uploads = new Map<string, Upload>()
  const queued = listUploads(change)
  const sizeBytes = queued.reduce((sum, file) => sum + file.sizeBytes, 0)
  let doneBytes = 0
  for (const { path, sha256, sizeBytes: ownBytes } of queued) {
    if (uploads.has(path)) continue
    const start = doneBytes
    const onProgress = (sentBytes: number) =>
      onEvent?.({ type: 'uploading', change, sentBytes: start + sentBytes, sizeBytes })
    const sent = await uploadFile(api, { path, signal, onProgress })
    if (sent.sha256 !== sha256)
      throw problem('apply/stale', `The file "${path}" has changed since the plan was made.`, {
        hint: 'Plan again.',
      })
    uploads.set(path, sent.upload)
    doneBytes += ownBytes
  }
  return uploads
}

function listUploads({ files = [], features }: Change): FileUpload[] {
  const attached = features?.items.flatMap(({ attachments = [] }) => attachments) ?? []
  return [
    ...files.flatMap(({ upload }) => upload ?? []),
    ...attached.flatMap((one) => ('upload' in one ? [one.upload] : [])),
  ]
}

/** Tells whether a change uploads files. */
export function hasFiles({ files, features }: Change): boolean {
  return files !== undefined || features !== undefined
}

/**
 * Adds the files of a change to its body, the descriptions and attachments of features, and the versions of these and of the data that the
 * change is based on.
 */
export function addFiles(wire: Body, change: Change, uploads: FileUploads | undefined): Body {
  return addBase(addFeatures(addOwnFiles(wire, change, uploads), change, uploads), change)
}

function addBase(wire: Body, { cls, extensions, dataVersion }: Change): Body {
  if (extensions === undefined && dataVersion === undefined) return wire
  const base = {
    ...(dataVersion === undefined ? {} : { if_data_version: dataVersion }),
    ...(extensions === undefined ? {} : { if_extensions_version: extensions.version }),
  }
  return { ...wire, [cls]: { ...(wire[cls] as object | undefined), ...base } }
}

function addFeatures(wire: Body, { cls, features }: Change, uploads: FileUploads | undefined): Body {
  const field = extensionsOf(cls)
  if (features === undefined || field === undefined) return wire
  const { key, clear } = features
  const items = features.items.map(({ attachments, ...item }) => ({
    ...item,
    ...(attachments === undefined
      ? {}
      : { attachment: attachments.map((one) => attachmentBody(one, uploads)) }),
  }))
  return {
    ...wire,
    [cls]: { ...(wire[cls] as object | undefined), [field]: { key, clear, items } },
  }
}

function attachmentBody(item: AttachmentItem, uploads: FileUploads | undefined) {
  const { description } = item
  const described = description === undefined ? {} : { description: description === '' ? null : description }
  if ('id' in item) return { id: item.id, ...described }
  const { name, upload } = item
  const type = upload.mimeType === undefined ? {} : { mime_type: upload.mimeType }
  return { name, ...type, ...described, file_upload: { id: uploads?.get(upload.path)?.id } }
}

// Files with an upload are stored, the others kept.
function addOwnFiles(wire: Body, { cls, files }: Change, uploads: FileUploads | undefined): Body {
  const kind = filesOf(cls)
  if (files === undefined || kind === undefined) return wire
  const entries = files.map(({ name, upload, from, mimeType = upload?.mimeType }) => {
    const id = upload === undefined ? undefined : uploads?.get(upload.path)?.id
    const type = mimeType === undefined ? {} : { mime_type: mimeType }
    if (id !== undefined) return { id, name, ...type }
    return { name, ...(from === undefined ? {} : { from }), ...type }
  })
  const value = kind.form === 'list' ? entries : entries[0]
  return { ...wire, [cls]: { ...(wire[cls] as object | undefined), [kind.field]: value } }
}
