/** Returns whether a database can store a string: without NUL and unpaired surrogates. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/**
 * Returns the start of a string as databases can store it: without NUL, with a replacement character for unpaired
 * surrogates. Never cuts a surrogate pair.
 */
export function storableStart(text: string, maxLength: number): string {
  const start = text.replaceAll('\0', '').toWellFormed().slice(0, maxLength)
  return start.isWellFormed() ? start : start.slice(0, -1)
}
