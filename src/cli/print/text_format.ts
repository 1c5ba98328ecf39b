import { styleText } from 'node:util'
import { showNumber } from '../../core/count.ts'

/**
 * Characters that a terminal interprets: control characters, with the rest of a possible colour sequence of ours, and
 * bidirectional controls.
 */
const acting = /\p{Cc}(?:\[(?:1|2|22|3[1-9])m)?|[\u202a-\u202e\u2066-\u2069]/gu

/** Escapes control characters except for our own colours, since names come from other users. */
export function printable(text: string): string {
  return text.replaceAll(acting, (found) => {
    const isColour = found.startsWith('\u001b') && found.length > 1
    return isColour || /^[\n\t]/.test(found) ? found : escapeFirst(found)
  })
}

/** Converts a text from other users to one line, without colours: `a\u000ab`. */
export function oneLine(text: string): string {
  return withoutColours(text).replaceAll(/[\n\t]/g, escapeFirst)
}

/** Escapes the starts of colour sequences in a text from other users. */
export function withoutColours(text: string): string {
  return text.replaceAll('\u001b', escapeFirst)
}

/** Converts a text from other users to one line, without colours. */
export function plainLine(text: string): string {
  return printable(withoutColours(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t'))
}

/** Escapes all control characters of a text of lines, for documents: they have no colours of ours. */
export function plainText(text: string): string {
  return printable(withoutColours(text))
}

function escapeFirst(text: string): string {
  return `\\u${(text.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}${text.slice(1)}`
}

/** Colours text, or returns it unchanged. */
export type Paint = (
  colour: 'green' | 'yellow' | 'red' | 'cyan' | 'magenta' | 'dim' | 'bold',
  text: string,
) => string

/** Returns a function that colours text, or one that does not. */
export function painter(colour: boolean): Paint {
  return colour ? (format, text) => styleText(format, text, { validateStream: false }) : (_, text) => text
}

/** Formats the previous number of features of a layer: ` (100 before)`; empty if it was zero or unknown. */
export function showBefore(before: number | undefined): string {
  return before === undefined || before === 0 ? '' : ` (${showNumber(before)} before)`
}

/** Formats a size in bytes: `812 B`, `3.4 MB`. */
export function showBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  const units = ['kB', 'MB', 'GB', 'TB']
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), units.length)
  return `${(bytes / 1000 ** power).toFixed(1)} ${units[power - 1]}`
}

/** Formats a duration: `0.4 s`, `12 s`, `3 min 5 s`. */
export function showDuration(milliseconds: number): string {
  const seconds = milliseconds / 1000
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  if (seconds < 60) return `${Math.round(seconds)} s`
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}

/** Formats rows in aligned columns below a header, without trailing spaces. */
export function formatColumns(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows]
  const widths = head.map((_, at) => Math.max(...all.map((row) => (row[at] ?? '').length)))
  return all
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
