import { type ExportFormat, exportFormats } from '../../src/contract/export_formats.ts'
import { sourceFormatList } from '../../src/contract/source_formats.ts'

/** Prints the table of formats as README shows it. */
export function printFormatTable(): string {
  const all = [...sourceFormatList, ...Object.values<ExportFormat>(exportFormats)]
  const titles = [...new Set(all.map(({ title }) => title))]
  const rows = titles.map((title) => {
    const [imported = '', needs = ''] = importCells(title)
    const [exported = '', limits = ''] = exportCells(title)
    return [title, imported, exported, [needs, limits].filter(isText).join('; ')]
  })
  const head = ['format', 'import', 'export', 'limits']
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function importCells(title: string): string[] {
  const format = sourceFormatList.find((other) => other.title === title)
  if (format === undefined) return []
  const { extensions, sharedExtensions = [], archiveExtensions = [], required = [], limits } = format
  const own = code([...extensions, ...sharedExtensions, ...archiveExtensions])
  const all = required.length === 0 ? own : `${own} with ${code(required)}`
  return [all, limits === undefined ? '' : `import: ${limits}`]
}

function exportCells(title: string): string[] {
  const formats = Object.values<ExportFormat>(exportFormats).filter((other) => other.title === title)
  const names = formats.map(({ extension, isSeveral }) => `.${extension}${isSeveral ? '.zip' : ''}`)
  const limits = [...new Set(formats.flatMap(limitsOf))]
  return [code([...new Set(names)]), limits.length === 0 ? '' : `export: ${limits.join(', ')}`]
}

function limitsOf({ isFixed, srs, isBare, families, geometry, asText = [], limits = {} }: ExportFormat) {
  const { textBytes, nameLength, digits, isNullZero } = limits
  return [
    isFixed ? `EPSG:${srs} only` : '',
    families === undefined ? '' : `${families.join(' and ')} only`,
    geometry === 'text' ? 'geometry as WKT' : '',
    geometry === 'needed' ? 'no features without geometry' : '',
    isBare ? 'no fields' : '',
    asText.length === 0 ? '' : `${asText.join(' and ')} as text`,
    textBytes === undefined ? '' : `texts up to ${textBytes} bytes`,
    nameLength === undefined ? '' : `field names up to ${nameLength} characters`,
    digits === undefined ? '' : `BIGINT exact to ${digits} digits`,
    isNullZero ? 'null numbers become 0' : '',
  ].filter(isText)
}

const code = (words: readonly string[]) => words.map((word) => `\`${word}\``).join(' ')
const isText = (text: string) => text !== ''
