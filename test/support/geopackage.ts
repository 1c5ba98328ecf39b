import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { geojson } from './vector.ts'

/** Writes features as a GeoPackage that says what type they are, true or not. */
export function packAs(type: 'POLYGON' | 'POLYGONZ', features: Parameters<typeof geojson>[0]): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'landform-geopackage-'))
  try {
    const path = join(folder, 'a.gpkg')
    execFileSync('ogr2ogr', ['-f', 'GPKG', path, '/vsistdin/', '-nlt', 'GEOMETRY'], {
      input: geojson(features),
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    const database = new DatabaseSync(path)
    const says = database.prepare('update gpkg_geometry_columns set geometry_type_name = ?, z = ?')
    says.run('POLYGON', type === 'POLYGONZ' ? 1 : 0)
    database.close()
    return readFileSync(path)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
