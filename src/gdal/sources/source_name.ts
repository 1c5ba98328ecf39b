/** Names a source in a sentence: many an upload has no name. */
export function nameSource(name: string): string {
  return name === '' ? 'the file' : JSON.stringify(name)
}
