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

/** Converts a text to one line. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\n\t]/g, escapeFirst)
}

/** Converts a text from other users to one line, without colours. */
export function plainLine(text: string): string {
  const colourless = text.replaceAll('\u001b', escapeFirst)
  return printable(colourless.replaceAll('\n', '\\n').replaceAll('\t', '\\t'))
}

function escapeFirst(text: string): string {
  return `\\u${(text.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}${text.slice(1)}`
}
