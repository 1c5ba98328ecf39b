/**
 * What a terminal acts on rather than shows: controls, with the rest of what may be a colour of ours, and characters
 * that turn the direction of text around.
 */
const acting = /\p{Cc}(?:\[(?:1|2|22|3[1-9])m)?|[\u202a-\u202e\u2066-\u2069]/gu

/** Gives a text that shows what it holds and, our own colours aside, does nothing: names come from other people. */
export function printable(text: string): string {
  return text.replaceAll(acting, (found) => {
    const isColour = found.startsWith('\u001b') && found.length > 1
    return isColour || /^[\n\t]/.test(found) ? found : escapeFirst(found)
  })
}

/** Gives a text as one line. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\n\t]/g, escapeFirst)
}

/** Gives a text of other people as one line that holds no colour either. */
export function plainLine(text: string): string {
  const colourless = text.replaceAll('\u001b', escapeFirst)
  return printable(colourless.replaceAll('\n', '\\n').replaceAll('\t', '\\t'))
}

function escapeFirst(text: string): string {
  return `\\u${(text.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}${text.slice(1)}`
}
