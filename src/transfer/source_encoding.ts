import type { Upload } from '../contract/bodies/resource.ts'
import { isProblem, withHint } from '../core/problem.ts'

type Options = Readonly<Record<string, unknown>>

/** Adds the encoding of its strings to an upload, if it is known. */
export function encodedUpload(upload: Upload, encoding: string | undefined): Upload {
  return encoding === undefined ? upload : { ...upload, encoding }
}

/** Writes the load options and the upload of a source as members of the class: the encoding belongs to the upload. */
export function writeSource({ encoding, ...members }: Options, upload: Upload): Options {
  return { ...members, source: encodedUpload(upload, encoding === undefined ? undefined : String(encoding)) }
}

/** Name of the encoding in the API, which hints and notes of servers use. */
const apiName = 'source.encoding'

/** Replaces the API's name of the encoding in a text. */
export function nameEncoding(text: string, place: string): string {
  return text.replaceAll(apiName, place)
}

/** Replaces the API's name of the encoding in the hint of a Problem; returns other errors unchanged. */
export function placeEncoding(error: unknown, place: string): unknown {
  if (!isProblem(error) || !error.hint?.includes(apiName)) return error
  return withHint(error, nameEncoding(error.hint, place))
}
