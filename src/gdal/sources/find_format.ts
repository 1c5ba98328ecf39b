import { readEnd, readStart } from './file_start.ts'
import { formats } from './registry.ts'
import { extensionOf, type FileProbe, hasExtension, type SourceFormat } from './source_format.ts'

const zipMagic = 'PK\u0003\u0004'

/** Finds the format of a file by its content, else by its extension; `zip` for an archive. */
export function findFormat(path: string, name: string): SourceFormat | 'zip' | undefined {
  const start = readStart(path, 4096).toString('latin1')
  const probe: FileProbe = {
    start,
    text: start.replace(/^\u00ef\u00bb\u00bf/, '').trimStart(),
    extension: extensionOf(name),
    readEnd: () => readEnd(path, 1 << 16).toString('latin1'),
  }
  const isZip = start.startsWith(zipMagic)
  const found = formats.find((format) => (format.isZip ?? false) === isZip && format.recognizes(probe))
  return found ?? (isZip ? 'zip' : undefined)
}

/** Tells by its name whether a file in an archive is data. */
export function isData(name: string): boolean {
  const extension = extensionOf(name)
  return formats.some(
    (format) => hasExtension(format, { extension }) && !format.sharedExtensions?.includes(extension),
  )
}
