import { execFileSync } from 'node:child_process'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BenchServer } from './running.ts'

const countries = fileURLToPath(
  new URL('../../../node_modules/world-atlas/countries-50m.json', import.meta.url),
)

/** Columns that the cities of `manifests/world.yaml` have. */
const cityFields = 'name,country_code,population,elevation,timezone,modification_date'

/** Ids of the layers of the world. */
export interface WorldLayers {
  readonly countries: number
  readonly cities: number
}

/** Imports the countries and the cities of the world from files; `cities` is a GeoPackage of all columns. */
export async function importWorld(
  server: BenchServer,
  { folder, cities }: { readonly folder: string; readonly cities: string },
): Promise<WorldLayers> {
  const slim = join(folder, 'slim.gpkg')
  execFileSync('ogr2ogr', ['-f', 'GPKG', slim, cities, '-select', cityFields])
  return {
    countries: await importFile(server, countries, { source_layer: 'countries', fix_errors: 'LOSSY' }),
    cities: await importFile(server, slim, {}),
  }
}

async function importFile(server: BenchServer, file: string, options: object): Promise<number> {
  const source = await server.upload(file)
  const made = await server.ask<{ id: number }>('POST', '/api/resource/', {
    resource: { cls: 'vector_layer', parent: { id: 0 }, display_name: basename(file) },
    vector_layer: { srs: { id: 3857 }, source, ...options },
  })
  return made.id
}
