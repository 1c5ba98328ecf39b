import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Api } from '../../api/api.ts'
import { resolveFeatureLayer } from '../../api/resolve_resource.ts'
import {
  encodedExportTitles,
  exportEncodings,
  exportFormatNames,
  notesHeader,
  readNotes,
} from '../../contract/formats/export_formats.ts'
import { problem } from '../../contract/problems.ts'
import { checkTarget, writeAtomically } from '../../files/atomic_write.ts'
import { loadTimeoutMs } from '../../transfer/prepare_source.ts'
import type { CommandInput, CommandSpec } from '../command.ts'
import { collect, eventOptions } from '../options.ts'
import { withServer } from '../principals.ts'
import { writeEvent } from '../print/events.ts'
import { startRunProgress } from '../print/run.ts'
import { showBytes, showDuration } from '../print/text_format.ts'
import { type Terminal, writeLine } from '../terminal.ts'
import { exportRaster, isRasterFile } from './export_raster.ts'
import { filterOptions, readFilter } from './filter.ts'
import { layerFacts } from './layer.ts'
import { streamOut } from './output.ts'
import { parseSrs } from './srs.ts'
import { chooseTarget, type ExportTarget, standardOutput } from './target.ts'

/** The command `data export`. */
export const exportCommand: CommandSpec = {
  name: 'export',
  summary: 'export a layer to a file',
  examples: [
    'landform data export roads -o roads.gpkg',
    'landform data export relief -o relief.tif   # the original file of a raster layer',
    'landform data export City/Roads -o roads.shp.zip --encoding CP1251',
    'landform data export cities -o big.csv --filter population__ge=1000000 --fid id',
    'landform data export cities -o - --format GeoJSON | jq .features[0]',
  ],
  declare,
  run: ({ arguments: [name], options }, terminal) => {
    const output = String(options.output)
    if (isRasterFile(output) && options.format === undefined)
      return withServer(options, terminal, (api) =>
        exportRaster(api, { name: String(name), options }, terminal),
      )
    const wishes = { output, format: options.format as string | undefined, isZipped: options.zipped === true }
    const target = chooseTarget(wishes)
    if (output === standardOutput && options.json)
      throw problem('usage/bad-argument', 'Cannot write data and events to standard output at the same time.')
    return withServer(options, terminal, async (api) => {
      const order = { name: String(name), target, options }
      if (output === standardOutput) await writeToOutput(api, order, terminal)
      else await writeToFile(api, order, terminal)
    })
  },
}

function declare(command: Command): Command {
  const own = command
    .argument('<layer>', 'keyname, id, or path of names such as City/Roads')
    .requiredOption('-o, --output <file>', 'output file; - for standard output')
    .option('--format <name>', `one of ${exportFormatNames.join(', ')} (default: by file extension)`)
    .option('--srs <code>', 'EPSG code of the coordinates (default: depends on the format)', parseSrs)
    .option('--fid <field>', 'name of the field for feature ids')
    .option('--fields <names>', 'fields to export, in order', collect)
    .option('--display-names', 'use the display names of the fields')
    .option('--encoding <name>', `encoding of ${encodedExportTitles}: ${exportEncodings.join(' or ')}`)
    .option('--zipped', 'write a ZIP archive (default for names that end with .zip)')
    .option('--force', 'overwrite an existing file')
  return eventOptions(filterOptions(own))
}

interface ExportRequest {
  readonly name: string
  readonly target: ExportTarget
  readonly options: CommandInput['options']
}

async function writeToOutput(api: Api, order: ExportRequest, terminal: Terminal): Promise<void> {
  const layer = await resolveFeatureLayer(api, order.name, terminal.interrupt)
  const { body, notes } = await openExport(api, { ...order, id: layer.resource.id ?? 0 }, terminal.interrupt)
  writeNotes(notes, terminal)
  await streamOut(body, terminal)
}

async function writeToFile(api: Api, order: ExportRequest, terminal: Terminal): Promise<void> {
  const { interrupt } = terminal
  const { target, options } = order
  const path = resolve(terminal.cwd, String(options.output))
  const file = { shownPath: String(options.output), overwrite: options.force === true }
  await checkTarget(path, file)
  const layer = await resolveFeatureLayer(api, order.name, interrupt)
  const facts = layerFacts(layer)
  const start = performance.now()
  const progress = startRunProgress({ terminal, json: options.json === true, quiet: false })
  try {
    const step = { step: 'export', layer: facts.keyname ?? facts.display_name }
    progress.take({ type: 'step', ...step })
    const { body, notes } = await openExport(api, { ...order, id: facts.id }, interrupt)
    const counted = countBytes(body, (bytes) => progress.take({ type: 'progress', ...step, rows: 0, bytes }))
    const sizeBytes = await writeAtomically(path, counted, { ...file, signal: interrupt })
    progress.end()
    const tookMs = performance.now() - start
    if (options.json)
      writeEvent(terminal.out, 'exported', {
        layer: facts,
        file: file.shownPath,
        format: target.format,
        size_bytes: sizeBytes,
        notes,
      })
    else {
      writeNotes(notes, terminal)
      writeLine(
        terminal.out,
        `${file.shownPath}: ${facts.display_name} as ${target.format}, ${showBytes(sizeBytes)} in ${showDuration(tookMs)}`,
      )
    }
  } finally {
    progress.end()
  }
}

async function openExport(
  api: Api,
  { id, target, options }: Pick<ExportRequest, 'target' | 'options'> & { readonly id: number },
  signal: AbortSignal,
): Promise<Opened> {
  const { query, more } = readFilter(options)
  const { srs, fid, fields, encoding } = options
  const answer = await api.open('feature.export', {
    params: { id },
    query: {
      ...query,
      format: target.format,
      zipped: target.isZipped,
      ...(srs === undefined ? {} : { srs: Number(srs) }),
      ...(fid === undefined ? {} : { fid: String(fid) }),
      ...(fields === undefined ? {} : { fields: fields as string[] }),
      ...(encoding === undefined ? {} : { encoding: String(encoding) }),
      ...(options.displayNames === true ? { display_name: true } : {}),
    },
    more,
    signal,
    // Some formats are complete before their first byte is sent.
    timeoutMs: loadTimeoutMs,
  })
  return { body: answer.body, notes: readNotes(answer.headers[notesHeader]) }
}

interface Opened {
  readonly body: AsyncIterable<Uint8Array>
  /** Notes about data that the file cannot represent. */
  readonly notes: readonly string[]
}

function writeNotes(notes: readonly string[], terminal: Terminal): void {
  for (const note of notes) writeLine(terminal.err, `note: ${note}`)
}

/** Interval of progress reports, in bytes. */
const reportEveryBytes = 1 << 20

async function* countBytes(
  bytes: AsyncIterable<Uint8Array>,
  onBytes: (count: number) => void,
): AsyncGenerator<Uint8Array> {
  let count = 0
  let reportedBytes = 0
  for await (const chunk of bytes) {
    count += chunk.length
    if (count - reportedBytes >= reportEveryBytes) {
      reportedBytes = count
      onBytes(count)
    }
    yield chunk
  }
}
