import { extname, resolve } from 'node:path'
import type { Api } from '../../api/api.ts'
import { resolveResource } from '../../api/resolve_resource.ts'
import { problem } from '../../contract/problems.ts'
import { checkTarget, writeAtomically } from '../../files/atomic_write.ts'
import { loadTimeoutMs } from '../../transfer/prepare_source.ts'
import type { CommandInput } from '../command.ts'
import { writeEvent } from '../print/events.ts'
import { showBytes } from '../print/text_format.ts'
import { type Terminal, writeLine } from '../terminal.ts'
import { layerFacts } from './layer.ts'

/** Tells whether an output file is a raster by its name. */
export const isRasterFile = (path: string) => /^\.tiff?$/i.test(extname(path))

/**
 * Writes the original file of a raster layer.
 *
 * @throws {Problem} usage/bad-argument if it is no raster layer
 */
export async function exportRaster(
  api: Api,
  { name, options }: { readonly name: string; readonly options: CommandInput['options'] },
  { cwd, out, interrupt: signal }: Terminal,
): Promise<void> {
  const shownPath = String(options.output)
  const path = resolve(cwd, shownPath)
  const file = { shownPath, overwrite: options.force === true }
  await checkTarget(path, file)
  const found = await resolveResource(api, name, signal)
  const facts = layerFacts(found)
  if (found.resource.cls !== 'raster_layer')
    throw problem(
      'usage/bad-argument',
      `"${facts.display_name}" is a ${found.resource.cls}, not a raster layer.`,
      {
        hint: 'Name the file with the extension of a vector format, such as .gpkg.',
      },
    )
  const { body } = await api.open('raster.download', {
    ...{ params: { id: facts.id }, signal, timeoutMs: loadTimeoutMs },
  })
  const sizeBytes = await writeAtomically(path, body, { ...file, signal })
  if (options.json)
    writeEvent(out, 'exported', {
      ...{ layer: facts, file: shownPath, format: 'GTiff', size_bytes: sizeBytes, notes: [] },
    })
  else writeLine(out, `${shownPath}: ${facts.display_name}, the original file, ${showBytes(sizeBytes)}`)
}
