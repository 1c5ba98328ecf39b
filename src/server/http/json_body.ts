import type { IncomingMessage } from 'node:http'
import { type BodyLimits, formLimits } from '../../contract/limits.ts'
import { problem } from '../../contract/problems.ts'
import { parseExactJson } from '../../core/long_number.ts'
import { aborted, hasBody, tooLarge } from '../stream/spool.ts'
import { checkStorable, isPlainJson } from './json_values.ts'

/**
 * Reads the JSON body of a request regardless of its Content-Type, because a widespread client sends JSON with the type
 * of a form. Returns undefined if the request has no body.
 *
 * @throws {Problem} request/too-large, request/malformed, request/invalid, request/aborted
 */
export async function readJsonBody(raw: IncomingMessage, limits: BodyLimits): Promise<unknown> {
  return parseJson(await readText(raw, limits.bytes), JSON.parse, limits.values)
}

/**
 * Reads a JSON body and keeps all digits of integers beyond 2^53.
 *
 * @throws {Problem} request/too-large, request/malformed, request/invalid, request/aborted
 */
export async function readExactBody(raw: IncomingMessage, limits: BodyLimits): Promise<unknown> {
  return parseJson(await readText(raw, limits.bytes), parseExactJson, limits.values)
}

function parseJson(text: string, parse: (text: string) => unknown, maxValues: number): unknown {
  // A body of white space is an error, not a missing body, which some operations treat as "everything".
  if (text === '') return undefined
  const isPlain = isPlainJson(text, maxValues)
  const value = parseText(text, parse)
  if (!isPlain) checkStorable(value)
  return value
}

function parseText(text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw problem('request/malformed', `The body is not well-formed JSON: ${why}`, { cause })
  }
}

/**
 * Reads the fields of a form, sent as JSON or URL-encoded.
 *
 * @throws {Problem} request/too-large, request/malformed, request/invalid, request/aborted
 */
export async function readFormBody(raw: IncomingMessage, limits: BodyLimits): Promise<unknown> {
  const text = await readText(raw, limits.bytes)
  if (/^\s*[{[]/.test(text)) return parseJson(text, JSON.parse, limits.values)
  if (text.trim() === '') return undefined
  checkFieldCount(text)
  const fields = Object.fromEntries(new URLSearchParams(text))
  checkStorable(fields)
  return fields
}

/** Counts the fields before the form is parsed, which takes a time that grows with the square of their number. */
function checkFieldCount(text: string): void {
  let count = 1
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) {
    count += 1
    if (count > formLimits.fields)
      throw problem('request/too-large', `The form has more than ${formLimits.fields} fields.`)
  }
}

async function readText(raw: IncomingMessage, limitBytes: number): Promise<string> {
  if (!hasBody(raw)) return ''
  if (Number(raw.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes)
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > limitBytes) break
      chunks.push(chunk)
    }
  } catch (cause) {
    throw aborted(cause)
  }
  if (size > limitBytes) throw tooLarge(limitBytes)
  return decodeUtf8(Buffer.concat(chunks))
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw problem('request/malformed', 'The body is not UTF-8.', { cause })
  }
}
