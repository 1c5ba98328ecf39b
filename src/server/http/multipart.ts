import { Readable } from 'node:stream'
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy'
import { formLimits } from '../../contract/limits.ts'
import { problem } from '../../contract/problems.ts'
import { isProblem, type Problem } from '../../core/problem.ts'
import type { ApiRequest } from './handler.ts'

/** One part of a form, in the order they come. What is not read of a file when the next part is asked for is passed over. */
export type FormPart =
  | { readonly kind: 'field'; readonly name: string; readonly value: string }
  | { readonly kind: 'file'; readonly name: string; readonly file: FormFile }

/** A file of a form, while it streams in. */
export interface FormFile {
  readonly content: AsyncIterable<Uint8Array>
  /** As it was sent, with its path where it has one. */
  readonly name: string | null
  readonly mimeType: string | null
}

const { files, fields, fieldBytes: fieldSize } = formLimits
const limits = { files, fields, fieldSize, headerPairs: 100 }

/**
 * Reads the parts of a multipart form as they stream in; nothing is kept in memory.
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
    // Who reads the file waits for it to go on.
    file?.destroy(error)
  }
  parser.on('field', (name, value) =>
    parts.push({ kind: 'field', name, value: printable(value) } satisfies FormPart),
  )
  parser.on('file', (...[name, stream, fileName, , mimeType]) => {
    // Whoever reads the stream sees its errors; without this, one that nobody reads any more would end the process.
    stream.on('error', () => undefined)
    file = stream
    const sent = { content: stream, name: printable(fileName ?? '') || null, mimeType: mimeType || null }
    const part: FormPart = { kind: 'file', name, file: sent }
    streams.set(part, stream)
    parts.push(part)
  })
  parser.once('finish', () => parts.push(null))
  // What comes after them would be left out, and nobody told.
  parser.once('filesLimit', () =>
    fail(problem('request/too-large', `The form has more than ${files} files.`)),
  )
  parser.once('error', (cause) => fail(malformed(cause)))
  const onClose = () => {
    if (!raw.complete) {
      const aborted = problem('request/aborted', 'The request ended before its form did.')
      parser.destroy()
      fail(aborted)
    }
  }
  raw.once('close', onClose)
  raw.pipe(parser)
  try {
    for await (const part of parts as AsyncIterable<FormPart>) {
      yield part
      // The form does not go on before its file does.
      streams.get(part)?.resume()
    }
  } catch (error) {
    throw isProblem(error) ? error : malformed(error)
  } finally {
    raw.off('close', onClose)
    raw.unpipe(parser)
    // Let the rest go, so that the answer can be read.
    raw.resume()
  }
}

/** Control characters have no place in a name, and the database takes no NUL. */
function printable(text: string): string {
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
