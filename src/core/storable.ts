/** Returns whether a database can keep a text: none takes a NUL, or half of a surrogate pair. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}
