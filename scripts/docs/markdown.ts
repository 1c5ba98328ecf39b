/** Formats a table. Cells may contain any text; empty columns are left out. */
export function formatTable(headers: readonly string[], rows: readonly (readonly string[])[]): string {
  const used = headers.flatMap((_, column) => (rows.some((row) => row[column] !== '') ? [column] : []))
  const line = (cells: readonly string[]) =>
    `| ${used.map((column) => escapeCell(cells[column])).join(' | ')} |`
  const rule = `| ${used.map(() => '---').join(' | ')} |`
  return [line(headers), rule, ...rows.map(line)].join('\n')
}

function escapeCell(text = ''): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')
}

/** Formats a value or name as code. */
export function formatCode(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
}

/** Formats a list of names as code. */
export function formatCodes(names: readonly string[]): string {
  return names.map(formatCode).join(', ')
}

/** Joins the parts of a page with blank lines. */
export function joinParts(...parts: readonly (string | readonly string[])[]): string {
  return `${parts.flat().join('\n\n')}\n`
}

/** Formats bytes in binary units: `64 MiB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB'] as const
  const power = units.findLastIndex((_, index) => bytes % 1024 ** index === 0)
  return `${bytes / 1024 ** power} ${units[power]}`
}
