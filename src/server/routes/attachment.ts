import { problem } from '../../contract/problems.ts'
import type { attachmentRoutes } from '../../contract/routes/attachment.ts'
import { type PreviewSize, type PreviewType, shrinkPreview, storedSize } from '../../render/image_preview.ts'
import {
  type Attachment,
  deleteAttachment,
  findAttachment,
  insertAttachments,
  updateAttachments,
} from '../../store/attachment/attachment.ts'
import { listAttachmentJson } from '../../store/attachment/attachment_json.ts'
import { lockUploads } from '../../store/upload/stored_upload.ts'
import { checkAttachmentName, newAttachment } from '../attachments/attachment_entry.ts'
import { readPreview, storePreview, storePreviews } from '../attachments/attachment_preview.ts'
import { attachmentNotFound, openFeature, writeAttachments } from '../attachments/layer_attachments.ts'
import { matchesTag } from '../http/byte_range.ts'
import { answerFile } from '../http/file_answer.ts'
import type { Answer, ApiRequest, Handlers } from '../http/handler.ts'

const json = 'application/json'

/** Operations on the attachments of features. */
export const attachmentHandlers: Handlers<keyof typeof attachmentRoutes> = {
  'attachment.list': async (request) => {
    const feature = await openFeature(request)
    const items = await listAttachmentJson(request.context.database, feature)
    return { bytes: Buffer.from(`[${items.join()}]`), mediaType: json }
  },

  'attachment.get': async (request) => {
    const key = { ...(await openFeature(request)), id: request.params.aid }
    const [item] = await listAttachmentJson(request.context.database, key)
    if (item === undefined) throw attachmentNotFound(key)
    return { bytes: Buffer.from(item), mediaType: json }
  },

  'attachment.create': async (request) => {
    const { context, body, params, idempotency } = request
    const { id, digest } = await writeAttachments(request, async (tx) => {
      const uploads = await lockUploads(tx, { ids: [body.file_upload.id], userId: request.caller.id })
      const attachment = newAttachment(body, { featureId: params.fid, pointer: '', uploads })
      const [id = 0] = await insertAttachments(tx, params.id, [attachment])
      await idempotency.store(tx, { id })
      return { id, digest: attachment.digest }
    })
    await storePreviews(context, [digest])
    return { json: { id } }
  },

  'attachment.update': async (request) => {
    const { body, params } = request
    const { id: layerId, fid: featureId, aid: id } = params
    await writeAttachments(request, async (tx) => {
      if (body.name !== undefined) checkAttachmentName(body.name, '/name')
      const key = { layerId, featureId, id }
      if ((await findAttachment(tx, key)) === undefined) throw attachmentNotFound(key)
      await updateAttachments(tx, layerId, [{ id, name: body.name, description: body.description }])
    })
    return { json: { id } }
  },

  'attachment.delete': async (request) => {
    const { id: layerId, fid: featureId, aid: id } = request.params
    const key = { layerId, featureId, id }
    await writeAttachments(request, async (tx) => {
      if (!(await deleteAttachment(tx, key))) throw attachmentNotFound(key)
    })
    return { json: {} }
  },

  'attachment.download': async (request) => {
    const { digest, sizeBytes, name, mimeType } = await getAttachment(request)
    return answerFile(request, { digest, sizeBytes, name, mediaType: mimeType })
  },

  'attachment.image': (request) => answerPreview(request),
}

type Request = ApiRequest<'attachment.download' | 'attachment.image'>

async function getAttachment(request: Request): Promise<Attachment> {
  const { context, params } = request
  const key = { ...(await openFeature(request)), id: params.aid }
  const found = await findAttachment(context.database, key)
  if (found === undefined) throw attachmentNotFound(key)
  return found
}

async function answerPreview(request: ApiRequest<'attachment.image'>): Promise<Answer> {
  const { context, headers, query } = request
  let found = await getAttachment(request)
  if (found.isImage === null) {
    await storePreview(context, found.digest)
    found = await getAttachment(request)
  }
  const size = query.size === undefined ? storedSize : readSize(query.size)
  const etag = `"${found.previewDigest}-${size.width}x${size.height}"`
  const shared = {
    etag,
    'cache-control': 'private, no-cache',
    'content-security-policy': "default-src 'none'; sandbox",
  }
  if (found.previewDigest !== null && matchesTag(headers['if-none-match'], etag))
    return { status: 304, headers: shared, empty: true }
  const preview = await readPreview(context, found)
  if (preview === undefined)
    throw problem('attachment/no-preview', `Attachment ${JSON.stringify(found.name)} has no preview.`)
  const isFullSize = size.width >= storedSize.width && size.height >= storedSize.height
  const image = isFullSize
    ? { bytes: preview, mediaType: typeOf(preview) }
    : await shrinkPreview(preview, size)
  return { headers: shared, ...image }
}

function readSize(text: string): PreviewSize {
  const [width = 0, height = 0] = text.split('x').map(Number)
  return { width: Math.min(width, storedSize.width), height: Math.min(height, storedSize.height) }
}

// Distinguishes PNG from JPEG by the first byte. @see the PNG specification, clause 5.2
function typeOf(preview: Uint8Array): PreviewType {
  return preview[0] === 0x89 ? 'image/png' : 'image/jpeg'
}
