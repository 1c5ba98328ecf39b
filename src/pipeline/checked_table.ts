import { problem } from '../contract/problems.ts'
import { formatCsvRow, gatherText } from './csv.ts'
import type { ImportPipeline } from './pipeline_schema.ts'
import type { Quarantine } from './quarantine.ts'
import { openCsv, type Table } from './readers/csv.ts'
import { type CompiledMapping, compileMapping } from './row_mapping.ts'
import type { TargetLayer } from './target_layer.ts'

/** A table of checked rows, as a CSV stream for upload. */
export interface CheckedTable {
  readonly bytes: AsyncIterable<Uint8Array>
  /** Number of rows read and sent so far. */
  readonly tally: { read: number; sent: number }
  /** Fields of the layer without a column. */
  readonly absentFields: readonly string[]
}

/** Input of checking a table. */
export interface TableCheck {
  readonly path: string
  readonly pipeline: ImportPipeline
  readonly layer: TargetLayer
  readonly quarantine: Quarantine
  /** Called regularly with the number of rows and bytes read so far. */
  readonly onProgress: (rows: number, bytesRead: number) => void
}

/**
 * Opens a delimited text table for loading. Checks each row against the fields of the layer and the checks of the
 * pipeline while streaming; bad rows go to the quarantine instead of the server.
 *
 * @throws {Problem} usage/bad-argument for columns and fields that do not exist, source/unreadable
 */
export async function openCheckedTable({
  path,
  pipeline,
  layer,
  ...check
}: TableCheck): Promise<CheckedTable> {
  const { csv, geometry, fields } = pipeline.from
  if (geometry === undefined) {
    throw problem('usage/bad-argument', 'Loading a table requires from.geometry.', {
      hint: 'Name the columns: geometry: { longitude: lon, latitude: lat }.',
    })
  }
  const table = await openCsv(path, csv)
  const mapping = compileMapping({
    columns: table.columns,
    fields: layer.fields,
    fieldColumns: fields,
    geometry,
    check: pipeline.check,
  })
  const tally = { read: 0, sent: 0 }
  const filled = new Set(mapping.header)
  const absentFields = layer.fields.flatMap(({ keyname }) => (filled.has(keyname) ? [] : [keyname]))
  return { tally, absentFields, bytes: gatherText(checkedRows(table, mapping, { ...check, tally })) }
}

/** Number of rows between progress reports. */
const progressEvery = 5000

interface Checking extends Pick<TableCheck, 'quarantine' | 'onProgress'> {
  readonly tally: CheckedTable['tally']
}

async function* checkedRows(
  table: Table,
  { header, checkRow }: CompiledMapping,
  { tally, quarantine, onProgress }: Checking,
): AsyncGenerator<string, void> {
  yield formatCsvRow(header)
  for await (const { line, cells } of table.rows) {
    tally.read += 1
    const checked = checkRow(cells)
    if ('reason' in checked) await quarantine.add({ line, reason: checked.reason, cells })
    else {
      tally.sent += 1
      yield formatCsvRow(checked.values)
    }
    if (tally.read % progressEvery === 0) onProgress(tally.read, table.bytesRead())
  }
  onProgress(tally.read, table.bytesRead())
}
