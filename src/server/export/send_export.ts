import { createGzip } from 'node:zlib'
import { formatNotes, notesHeader } from '../../contract/formats/export_formats.ts'
import { pipeThrough } from '../../files/pipe_through.ts'
import { zip } from '../../files/zip.ts'
import { acceptsCoding } from '../http/answer.ts'
import type { Answer, ApiRequest } from '../http/handler.ts'
import type { ExportOptions } from './export_options.ts'
import type { ExportedFiles } from './gdal_export.ts'

type Request = Pick<ApiRequest<'feature.export'>, 'params' | 'headers'>
type Sent = Pick<ExportOptions, 'format' | 'isZipped'>

/** Fast compression: higher levels are slower than most networks. */
const gzipLevel = 1

/** Answers with a ZIP archive of the files, or with the only file, compressed with gzip if the client accepts that. */
export function sendFiles(
  { params: { id }, headers }: Request,
  options: Sent,
  { files, notes }: ExportedFiles,
): Answer {
  const { format, isZipped } = options
  const name = `${id}.${format.extension}${isZipped ? '.zip' : ''}`
  const notesHeaders = notes.length === 0 ? {} : { [notesHeader]: formatNotes(notes) }
  const own = { 'content-disposition': `attachment; filename="${name}"`, ...sandbox, ...notesHeaders }
  if (isZipped) return { stream: zip(files), mediaType: 'application/zip', headers: own }
  const { content: stream = nothing(), sizeBytes } = files[0] ?? {}
  const { mediaType } = format
  const length = sizeBytes === undefined ? {} : { 'content-length': String(sizeBytes) }
  if (format.isText !== true) return { stream, mediaType, headers: { ...own, ...length } }
  const vary = { ...own, vary: 'Accept-Encoding' }
  if (!acceptsCoding(headers, 'gzip')) return { stream, mediaType, headers: { ...vary, ...length } }
  const packed = pipeThrough(stream, createGzip({ level: gzipLevel }))
  return { stream: packed, mediaType, headers: { ...vary, 'content-encoding': 'gzip' } }
}

// Content from users must not run as a script of this origin.
const sandbox = { 'content-security-policy': "default-src 'none'; sandbox" }

async function* nothing(): AsyncGenerator<Uint8Array> {}
