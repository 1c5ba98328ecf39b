/** Decodes a base64 string as UTF-8 text; undefined if it is not valid base64 or not UTF-8. */
export function decodeBase64Text(base64: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(base64.replaceAll(/\s/g, '')), (character) => character.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    if (error instanceof TypeError || error instanceof DOMException) return undefined
    throw error
  }
}
