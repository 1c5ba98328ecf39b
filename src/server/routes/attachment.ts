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
    const place = await openFeature(request)
    const items = await listAttachmentJson(request.context.database, place)
    return { bytes: Buffer.from(`[${items.join()}]`), mediaType: json }
  },

  'attachment.get': async (request) => {
    const place = { ...(await openFeature(request)), id: request.params.aid }
    const [item] = await listAttachmentJson(request.context.database, place)
    if (item === undefined) throw attachmentNotFound(place)
    return { bytes: Buffer.from(item), mediaType: json }
  },

  'attachment.create': async (request) => {
    const { context, body, params, once } = request
    const { id, digest } = await writeAttachments(request, async (tx) => {
      const uploads = await lockUploads(tx, [body.file_upload.id])
      const made = newAttachment(body, { featureId: params.fid, pointer: '', uploads })
      const [id = 0] = await insertAttachments(tx, params.id, [made])
      await once.keep(tx, { id })
      return { id, digest: made.digest }
    })
    await storePreviews(context, [digest])
    return { json: { id } }
  },

  'attachment.update': async (request) => {
    const { body, params } = request
    const { id: layerId, fid: featureId, aid: id } = params
    await writeAttachments(request, async (tx) => {
      if (body.name !== undefined) checkAttachmentName(body.name, '/name')
      const place = { layerId, featureId, id }
      if ((await findAttachment(tx, place)) === undefined) throw attachmentNotFound(place)
      await updateAttachments(tx, layerId, [{ id, name: body.name, description: body.description }])
    })
    return { json: { id } }
  },

  'attachment.delete': async (request) => {
    const { id: layerId, fid: featureId, aid: id } = request.params
    const place = { layerId, featureId, id }
    await writeAttachments(request, async (tx) => {
      if (!(await deleteAttachment(tx, place))) throw attachmentNotFound(place)
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
  const place = { ...(await openFeature(request)), id: params.aid }
  const found = await findAttachment(context.database, place)
  if (found === undefined) throw attachmentNotFound(place)
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
  const kept = await readPreview(context, found)
  if (kept === undefined)
    throw problem('attachment/no-preview', `The attachment ${JSON.stringify(found.name)} has no preview.`)
  const isWhole = size.width >= storedSize.width && size.height >= storedSize.height
  const preview = isWhole ? { bytes: kept, mediaType: typeOf(kept) } : await shrinkPreview(kept, size)
  return { headers: shared, ...preview }
}

function readSize(text: string): PreviewSize {
  const [width = 0, height = 0] = text.split('x').map(Number)
  return { width: Math.min(width, storedSize.width), height: Math.min(height, storedSize.height) }
}

// The first byte of a PNG is none of a JPEG. @see the PNG specification, clause 5.2
function typeOf(preview: Uint8Array): PreviewType {
  return preview[0] === 0x89 ? 'image/png' : 'image/jpeg'
}
