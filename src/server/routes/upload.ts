import { randomUUID } from 'node:crypto'
import { basename } from 'node:path'
import type { Upload } from '../../contract/bodies/resource.ts'
import { problem } from '../../contract/problems.ts'
import type { uploadRoutes } from '../../contract/routes/upload.ts'
import { insertUploads, type StoredUpload } from '../../store/upload/stored_upload.ts'
import type { Answer, ApiRequest, Handlers } from '../http/handler.ts'
import { readForm } from '../http/multipart.ts'
import { streamBody } from '../stream/spool.ts'
import { withinGuestQuota } from '../upload/guest_upload_quota.ts'
import {
  appendToUpload,
  createPartialUpload,
  getCompleteUpload,
  headPartialUpload,
  removeUpload,
  unknownUpload,
} from '../upload/tus.ts'
import { checkVersion, isTus } from '../upload/tus_protocol.ts'
import { relativeName } from '../upload/upload_name.ts'

type Request = Pick<ApiRequest, 'context' | 'caller' | 'address' | 'raw' | 'headers' | 'signal'>

/** Operations on uploads. They require no permission; guests have a quota, and files are checked when they are used. */
export const uploadHandlers: Handlers<keyof typeof uploadRoutes> = {
  'upload.form': async (request) => {
    if (isTus(request.headers)) return createPartialUpload(request)
    const uploads = await storeForm(request)
    return record(request, uploads, { upload_meta: uploads.map(uploadObject) })
  },

  'upload.raw': async (request) => {
    const { headers, raw } = request
    checkLength(request)
    const upload = await storeFile(request, {
      content: streamBody(raw),
      name: findFileName(headers['content-disposition']),
      mimeType: headers['content-type'] ?? null,
    })
    return record(request, [upload], uploadObject(upload))
  },

  'upload.get': async (request) => {
    const { context, params, headers, raw } = request
    if (raw.method === 'HEAD' && isTus(headers)) return headPartialUpload(request)
    const upload = uploadObject(await getCompleteUpload(request))
    const loading = context.loads.find(params.uid)
    return { json: loading === undefined ? upload : { ...upload, loading } }
  },

  'upload.append': (request) => appendToUpload(request),

  'upload.delete': (request) => deleteUpload(request),

  'upload.override': async (request) => {
    const method = request.headers[overrideHeader]
    if (method === 'PATCH') return appendToUpload(request)
    if (method === 'DELETE') return deleteUpload(request)
    throw problem(
      'request/bad-header',
      `Header ${overrideHeader} must be PATCH or DELETE, got ${method === undefined ? 'none' : JSON.stringify(method)}.`,
    )
  },
}

const overrideHeader = 'x-http-method-override'

async function deleteUpload(
  request: Pick<ApiRequest<'upload.delete'>, 'context' | 'caller' | 'params' | 'headers'>,
): Promise<Answer<Record<never, never>>> {
  const { headers, params } = request
  if (isTus(headers)) checkVersion(headers)
  if (!(await removeUpload(request))) throw unknownUpload(params.uid)
  return isTus(headers) ? { empty: true } : { json: {} }
}

interface IncomingFile {
  readonly content: AsyncIterable<Uint8Array>
  readonly name: string | null
  readonly mimeType: string | null
}

async function storeForm(request: Request): Promise<StoredUpload[]> {
  const uploads: StoredUpload[] = []
  let name: string | undefined
  for await (const part of readForm(request)) {
    if (part.kind === 'field') {
      if (part.name === 'name') name = relativeName(part.value) ?? undefined
      continue
    }
    // Names of `files[]` may contain a path; the field `name` overrides the name of a single file.
    if (part.name === 'file' || part.name === 'files[]') {
      const { name: fileName } = part.file
      const file = { ...part.file, name: fileName === null ? null : relativeName(fileName) }
      uploads.push(await storeFile(request, file))
    }
  }
  if (uploads.length === 0)
    throw problem('request/invalid', 'The form has no part "file" or "files[]".', {
      data: { location: ['body', 'file'] },
    })
  const [first] = uploads
  const named = first !== undefined && uploads.length === 1 && name ? [{ ...first, name }] : uploads
  return named
}

/** Records uploads whose content is stored, unless a request with the same key has done so. */
async function record<T extends object>(
  { context, idempotency }: Pick<ApiRequest, 'context' | 'idempotency'>,
  uploads: readonly StoredUpload[],
  json: T,
): Promise<Answer<T>> {
  const content = uploads.map(({ digest, name, mimeType }) => [digest, name, mimeType])
  const before = await idempotency.begin(content)
  if (before !== undefined) return before as Answer<T>
  await context.database.transaction(async (tx) => {
    await insertUploads(tx, uploads)
    await idempotency.store(tx, json)
  })
  return { json }
}

/** Refuses a file that is too large by its Content-Length. */
function checkLength({ context, headers }: Request): void {
  if (Number(headers['content-length'] ?? 0) > context.uploadLimitBytes)
    throw problem('request/too-large', `The file is larger than ${context.uploadLimitBytes} bytes.`)
}

async function storeFile(request: Request, file: IncomingFile): Promise<StoredUpload> {
  const { context, caller } = request
  const content = withinGuestQuota(request, file.content, 1)
  const blob = await context.blobs.put(content, { limitBytes: context.uploadLimitBytes })
  return {
    id: randomUUID().replaceAll('-', ''),
    digest: blob.digest,
    name: file.name,
    mimeType: file.mimeType,
    sizeBytes: blob.sizeBytes,
    userId: caller.id,
  }
}

function uploadObject({ id, name, mimeType, sizeBytes }: StoredUpload): Upload {
  return {
    id,
    size: sizeBytes,
    ...(name === null ? {} : { name }),
    mime_type: mimeType ?? 'application/octet-stream',
  }
}

/** Finds the file name in a Content-Disposition header, without its path. @see RFC 6266 */
function findFileName(header: string | undefined): string | null {
  const extended = /filename\*\s*=\s*utf-8''([^;]+)/i.exec(header ?? '')?.[1]
  const plain = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]+))/i.exec(header ?? '')
  const name = decode(extended) ?? plain?.[1] ?? plain?.[2]?.trim()
  return name ? basename(name.replaceAll('\\', '/')) : null
}

function decode(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text.trim())
  } catch {
    return undefined
  }
}
