import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { geojson, point } from './vector.ts'
import type { ZipEntry } from './zip.ts'

/** Names of the towns in `makeShapefile`. */
export const townNames = ['Москва', 'Тверь']

/** Creates the files of a Shapefile of two towns, with names in an encoding. */
export function makeShapefile(encoding: string): ZipEntry[] {
  const folder = mkdtempSync(join(tmpdir(), 'landform-shape-'))
  try {
    const input = geojson(townNames.map((name) => ({ geometry: point(37, 55), properties: { name } })))
    const options = ['-lco', `ENCODING=${encoding}`, '-nln', 'towns']
    execFileSync('ogr2ogr', ['-f', 'ESRI Shapefile', folder, '/vsistdin/', ...options], { input })
    return readdirSync(folder).map((name) => ({ name, content: readFileSync(join(folder, name)) }))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
