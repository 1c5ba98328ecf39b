import { createReadStream } from 'node:fs'
import { readLines } from '../../api/read_lines.ts'
import type { Representation } from '../../contract/bodies/bodies.ts'
import { problem } from '../../contract/problems.ts'
import { isObject } from '../../core/is_object.ts'
import { writeAtomically } from '../../files/atomic_write.ts'
import { checkReplaceable } from '../../files/replaceable.ts'
import { type Capture, type CaptureEnd, type CaptureHead, captureVersion } from './capture.ts'

/** Path of a file, and as messages show it. */
export interface CapturePath {
  readonly path: string
  readonly shownPath: string
}

/**
 * Writes a capture as JSON lines: the head, each resource, the end. Replaces an existing capture.
 *
 * @returns number of bytes
 * @throws {Problem} usage/bad-argument, file/not-found, file/unreadable, files/full
 */
export async function writeCapture({ path, shownPath }: CapturePath, capture: Capture): Promise<number> {
  await checkReplaceable({ path, shownPath, start: '{"landform_capture":' })
  return writeAtomically(path, linesOf(capture), { shownPath, overwrite: true })
}

/** Lines per chunk. */
const chunkLines = 500

async function* linesOf({ head, resources, end }: Capture): AsyncGenerator<Uint8Array> {
  yield encode([head])
  for (let at = 0; at < resources.length; at += chunkLines) yield encode(resources.slice(at, at + chunkLines))
  yield encode([end])
}

const encode = (values: readonly unknown[]) =>
  Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''))

/**
 * Reads a capture.
 *
 * @throws {Problem} file/not-found, file/unreadable, plan/capture if the file is not a complete capture
 */
export async function readCapture({ path, shownPath }: CapturePath): Promise<Capture> {
  let head: CaptureHead | undefined
  let end: CaptureEnd | undefined
  const resources: Representation[] = []
  try {
    for await (const line of readLines(createReadStream(path))) {
      const value = parseLine(line, shownPath)
      if (head === undefined) head = checkHead(value, shownPath)
      else if (value.end === true) end = value as unknown as CaptureEnd
      else resources.push(value as unknown as Representation)
    }
  } catch (error) {
    throw problemOfReading(error, shownPath)
  }
  if (head === undefined || end?.resources !== resources.length)
    throw problem('plan/capture', `"${shownPath}" is incomplete: its end is missing.`)
  return { head, resources, end }
}

function parseLine(line: string, shownPath: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw notCapture(shownPath)
  }
  if (!isObject(value)) throw notCapture(shownPath)
  return value
}

function checkHead(value: Readonly<Record<string, unknown>>, shownPath: string): CaptureHead {
  const { landform_capture: version } = value
  if (typeof version !== 'number') throw notCapture(shownPath)
  if (version === captureVersion) return value as unknown as CaptureHead
  throw problem('plan/capture', `"${shownPath}" has version ${version} of the format, not ${captureVersion}.`)
}

const notCapture = (shownPath: string) => problem('plan/capture', `"${shownPath}" is not a capture.`)

function problemOfReading(error: unknown, shownPath: string): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return problem('file/not-found', `The file "${shownPath}" does not exist.`)
  if (code === 'EISDIR' || code === 'EACCES')
    return problem('file/unreadable', `Cannot read "${shownPath}": ${code}.`)
  return error
}
