import { Readable } from 'node:stream'
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy'
import { formLimits } from '../../contract/limits.ts'
import { problem } from '../../contract/problems.ts'
import { isProblem, type Problem } from '../../core/problem.ts'
import type { ApiRequest } from './handler.ts'

/** Part of a multipart form. The unread rest of a file is discarded when the next part is read. */
export type FormPart =
  | { readonly kind: 'field'; readonly name: string; readonly value: string }
  | { readonly kind: 'file'; readonly name: string; readonly file: FormFile }

/** File of a form, as a stream. */
export interface FormFile {
  readonly content: AsyncIterable<Uint8Array>
  /** File name as sent, possibly with a path. */
  readonly name: string | null
  readonly mimeType: string | null
}

const { files, fields, fieldBytes: fieldSize } = formLimits
const limits = { files, fields, fieldSize, headerPairs: 100 }

/**
 * Streams the parts of a multipart form without buffering files in memory.
 *
 * @throws {Problem} request/malformed, request/aborted, request/too-large
 * @see RFC 7578
 */
export async function* readForm({
  raw,
  headers,
}: Pick<ApiRequest, 'raw' | 'headers'>): AsyncGenerator<FormPart> {
  const parser = createParser(headers)
  const parts = new Readable({ objectMode: true, read: () => undefined })
  const streams = new WeakMap<FormPart, Readable>()
  let file: Readable | undefined
  const fail = (error: Problem) => {
    parts.destroy(error)
    // Otherwise the reader of the file would wait forever.
    file?.destroy(error)
  }
  parser.on('field', (name, value) =>
    parts.push({ kind: 'field', name, value: stripControls(value) } satisfies FormPart),
  )
  parser.on('file', (...[name, stream, fileName, , mimeType]) => {
    // Readers of the stream get its errors; without a listener, an error of an unread stream would crash the process.
    stream.on('error', () => undefined)
    file = stream
    const sent = { content: stream, name: stripControls(fileName ?? '') || null, mimeType: mimeType || null }
    const part: FormPart = { kind: 'file', name, file: sent }
    streams.set(part, stream)
    parts.push(part)
  })
  parser.once('finish', () => parts.push(null))
  // The parser would silently skip further files.
  parser.once('filesLimit', () =>
    fail(problem('request/too-large', `The form has more than ${files} files.`)),
  )
  parser.once('error', (cause) => fail(malformed(cause)))
  const onClose = () => {
    if (!raw.complete) {
      const aborted = problem('request/aborted', 'The request ended before the form was complete.')
      parser.destroy()
      fail(aborted)
    }
  }
  raw.once('close', onClose)
  raw.pipe(parser)
  try {
    for await (const part of parts as AsyncIterable<FormPart>) {
      yield part
      // The parser waits until the file is consumed.
      streams.get(part)?.resume()
    }
  } catch (error) {
    throw isProblem(error) ? error : malformed(error)
  } finally {
    raw.off('close', onClose)
    raw.unpipe(parser)
    // Discards the rest of the body, so that the client reads the response.
    raw.resume()
  }
}

/** Removes control characters, which do not belong in names and of which the database rejects NUL. */
function stripControls(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '').toWellFormed()
}

function createParser(headers: ApiRequest['headers']): BusboyInstance {
  try {
    return new Busboy({ headers: headers as BusboyHeaders, preservePath: true, limits })
  } catch (cause) {
    throw malformed(cause)
  }
}

function malformed(cause: unknown): Problem {
  const why = cause instanceof Error ? cause.message : String(cause)
  return problem('request/malformed', `The body is not a well-formed multipart form: ${why}`, { cause })
}
