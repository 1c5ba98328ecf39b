import { createGzip } from 'node:zlib'
import { formatNotes, notesHeader } from '../../contract/export_formats.ts'
import { pipeThrough } from '../../files/pipe_through.ts'
import { zip } from '../../files/zip.ts'
import { acceptsGzip } from '../http/gzip.ts'
import type { Answer, ApiRequest } from '../http/handler.ts'
import type { ExportOrder } from './export_options.ts'
import type { MadeFiles } from './gdal_export.ts'

type Request = Pick<ApiRequest<'feature.export'>, 'params' | 'headers'>
type Sent = Pick<ExportOrder, 'format' | 'isZipped'>

/** A little packing is worth it, more is slower than most networks. */
const gzipLevel = 1

/** Answers with files as one: an archive of them, or the only one, compressed on the way where that is taken. */
export function sendFiles(
  { params: { id }, headers }: Request,
  order: Sent,
  { files, notes }: MadeFiles,
): Answer {
  const { format, isZipped } = order
  const name = `${id}.${format.extension}${isZipped ? '.zip' : ''}`
  const told = notes.length === 0 ? {} : { [notesHeader]: formatNotes(notes) }
  const own = { 'content-disposition': `attachment; filename="${name}"`, ...quiet, ...told }
  if (isZipped) return { stream: zip(files), mediaType: 'application/zip', headers: own }
  const { content: stream = nothing(), sizeBytes } = files[0] ?? {}
  const { mediaType } = format
  const length = sizeBytes === undefined ? {} : { 'content-length': String(sizeBytes) }
  if (format.isText !== true) return { stream, mediaType, headers: { ...own, ...length } }
  const vary = { ...own, vary: 'Accept-Encoding' }
  if (!acceptsGzip(headers)) return { stream, mediaType, headers: { ...vary, ...length } }
  const packed = pipeThrough(stream, createGzip({ level: gzipLevel }))
  return { stream: packed, mediaType, headers: { ...vary, 'content-encoding': 'gzip' } }
}

// What users have written must not run in the name of this site, whatever it is taken for.
const quiet = { 'content-security-policy': "default-src 'none'; sandbox" }

async function* nothing(): AsyncGenerator<Uint8Array> {}
