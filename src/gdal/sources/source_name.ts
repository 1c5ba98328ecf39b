/** Formats the name of a source for messages; uploads may have no name. */
export function nameSource(name: string): string {
  return name === '' ? 'the file' : JSON.stringify(name)
}
