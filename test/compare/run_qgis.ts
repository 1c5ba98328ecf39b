import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readQml } from '../../src/style/qml/qml_read.ts'
import { type GalleryData, smallData } from '../support/gallery/gallery_data.ts'
import type { GalleryEntry } from '../support/gallery/gallery_entry.ts'
import { qgisPython } from '../support/qgis_python.ts'
import { fileOf, type Plate } from './plates.ts'

/** A plate with the style of a QML file. */
export interface QmlPlate extends Plate {
  readonly qml: string
}

/** Returns the plates of an entry: over its small geometries, and over the data of the same family. */
export function platesOf(entry: GalleryEntry, data: readonly GalleryData[]): QmlPlate[] {
  const { name, group, family, qml, background = [255, 255, 255], blockSize = 1 } = entry
  const { style, issues } = readQml(qml, { file: name })
  if (style === undefined) throw new Error(`${name}: ${issues.map(({ message }) => message).join(', ')}`)
  return [smallData(family), ...data.filter((one) => one.family === family)].map((one) => ({
    ...{ name, group, data: one, background, blockSize, style, issues, qml },
  }))
}

/** Draws plates with QGIS into a folder that has their data. Returns the version of QGIS. */
export async function drawWithQgis(folder: string, plates: readonly QmlPlate[]): Promise<string> {
  for (const plate of plates) await writeFile(join(folder, `${plate.name}.qml`), plate.qml)
  const jobs = plates.map((plate) => ({
    data: join(folder, `${plate.data.name}.geojson`),
    style: join(folder, `${plate.name}.qml`),
    image: join(folder, qgisImage(plate)),
    ...{ box: plate.data.box, width: plate.data.width, height: plate.data.height },
    background: plate.background,
  }))
  const script = fileURLToPath(new URL('draw_qgis.py', import.meta.url))
  const { status, stdout, stderr, error } = spawnSync(qgisPython, [script], {
    input: JSON.stringify({ fonts: [], jobs }),
    encoding: 'utf8',
  })
  if (error !== undefined || status !== 0)
    throw new Error(`QGIS failed; install the package python3-qgis.\n${error?.message ?? stderr}`)
  return stdout.trim().split('\n').at(-1) ?? ''
}

/** Name of the image of a plate that QGIS draws. */
export const qgisImage = (plate: Pick<Plate, 'name' | 'data'>) => `${fileOf(plate)}.qgis.png`
