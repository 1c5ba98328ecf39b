/** Describes why GDAL cannot open a file, with its own message unless that says nothing. */
export function openFault(error: unknown, formats: readonly string[]): string {
  const text = error instanceof Error ? error.message : String(error)
  const names =
    formats.length > 1 ? `${formats.slice(0, -1).join(', ')} or ${formats.at(-1)}` : formats.join()
  return text === 'Error opening dataset' ? `its content is not valid ${names}` : text
}
