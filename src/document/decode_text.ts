import { isUtf8 } from 'node:buffer'
import type { ProblemCode } from '../contract/problems.ts'
import type { Issue } from '../core/issue.ts'
import type { Span } from '../core/span.ts'

/** Maximum file size, in bytes. */
export const maxFileBytes = 64 * 1024 * 1024

/** The decoded text, or the reason why decoding failed. */
export type Decoded = { readonly text: string } | { readonly issue: Issue }

/** Decodes a UTF-8 file; strips a byte order mark. */
export function decodeText(file: string, bytes: Buffer): Decoded {
  if (bytes.length > maxFileBytes) return refuse('file/too-large', start(file), sizeMessage(bytes.length))
  const utf16 = /^(?:\xff\xfe|\xfe\xff)/.test(bytes.toString('latin1', 0, 2))
  if (utf16) return refuse('file/encoding', start(file), 'the file is UTF-16, not UTF-8')
  const zero = bytes.indexOf(0)
  if (zero !== -1) return refuse('file/encoding', start(file), 'the file is not text: it contains a NUL byte')
  if (!isUtf8(bytes)) return refuse('file/encoding', ...firstBadByte(file, bytes))
  const text = bytes.toString('utf8')
  return { text: text.startsWith('\ufeff') ? text.slice(1) : text }
}

function sizeMessage(size: number): string {
  return `the file has ${size} bytes; the limit is ${maxFileBytes}`
}

function refuse(code: ProblemCode, span: Span, message: string): Decoded {
  return { issue: { code, severity: 'error', message, span } }
}

function start(file: string): Span {
  return { file, line: 1, column: 1, endLine: 1, endColumn: 1 }
}

function firstBadByte(file: string, bytes: Buffer): [Span, string] {
  let from = 0
  for (let line = 1; ; line++) {
    const lineFeed = bytes.indexOf(0x0a, from)
    const row = bytes.subarray(from, lineFeed === -1 ? bytes.length : lineFeed)
    if (!isUtf8(row)) return describeBadByte(file, line, row)
    from = lineFeed + 1
  }
}

function describeBadByte(file: string, line: number, row: Buffer): [Span, string] {
  const text = row.toString('utf8')
  let at = text.indexOf('\ufffd')
  while (isInFile(row, text, at)) at = text.indexOf('\ufffd', at + 1)
  const byte = (row[Buffer.byteLength(text.slice(0, at))] ?? 0).toString(16).padStart(2, '0')
  const span = { file, line, column: at + 1, endLine: line, endColumn: at + 2 }
  return [span, `the file is not UTF-8: byte 0x${byte} at column ${at + 1}`]
}

/** Reports whether a replacement character is part of the file rather than a substitute for an invalid byte. */
function isInFile(row: Buffer, text: string, at: number): boolean {
  const offset = Buffer.byteLength(text.slice(0, at))
  return row.subarray(offset, offset + 3).toString('hex') === 'efbfbd'
}
