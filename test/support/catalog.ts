import type { CatalogOperation } from '../../src/contract/catalog/catalog_edit.ts'
import { addStatuses } from '../../src/store/catalog/geoservice_status.ts'
import type { TestServer } from './server.ts'

/** A square in EPSG:4326 as WKT. */
export const square = (minX: number, minY: number, size = 1): string => {
  const [maxX, maxY] = [minX + size, minY + size]
  return `POLYGON((${minX} ${minY},${maxX} ${minY},${maxX} ${maxY},${minX} ${maxY},${minX} ${minY}))`
}

/** A drawing of 24 by 24 pixels in a color, in base64. */
export const iconImage = (color = '#c33'): string =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24"><circle cx="12" cy="12" r="10" fill="${color}"/></svg>`,
  ).toString('base64')

/** Operation that creates a geoservice of tiles, unless `members` say otherwise. */
export const newGeoservice = (name: string, members: Record<string, unknown> = {}): CatalogOperation => ({
  op: 'create',
  kind: 'geoservice',
  body: { name, type: 'tms', url: 'https://tile.example.org/{z}/{x}/{y}.png', ...members },
})

/** Runs operations as the administrator. Returns the ids of the records. */
export async function changeCatalog(
  { admin }: Pick<TestServer, 'admin'>,
  operations: readonly CatalogOperation[],
): Promise<number[]> {
  const answer = await admin('POST', '/api/component/catalog/', { operations })
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`)
  return (await answer.json<{ results: { id: number }[] }>()).results.map(({ id }) => id)
}

/** Names of the sample services. */
export const sampleNames = {
  roads: 'Roads',
  relief: 'Relief of Norway',
  parks: 'Parks',
  trees: 'Trees',
} as const

/** Ids of the sample records. */
export type SampleIds = Readonly<Record<keyof typeof sampleNames | 'icon', number>>

/** Fills a catalog with a service of every type, an icon and three status records. */
export async function createSample(server: Pick<TestServer, 'admin' | 'database'>): Promise<SampleIds> {
  const [icon = 0, roads = 0, relief = 0, parks = 0, trees = 0] = await changeCatalog(server, [
    { op: 'create', kind: 'icon', name: 'pin', body: { name: 'Pin', image: iconImage() } },
    newGeoservice(sampleNames.roads, {
      desc: 'Streets and paths',
      url: 'https://{switch:a,b,c}.tile.example.org/{z}/{x}/{y}.png',
      epsg: 3857,
      z_min: 0,
      z_max: 18,
      y_origin_top: true,
      icon: 'pin',
      boundary: square(10, 50),
      license_name: 'CC BY 4.0',
      license_url: 'https://creativecommons.org/licenses/by/4.0/',
      copyright_text: 'Example',
    }),
    newGeoservice(sampleNames.relief, {
      type: 'wms',
      url: 'https://maps.example.org/wms',
      layers: 'relief,shade',
      params: 'map=relief',
      turn_over: true,
      format: 'image/png8',
      epsg: 4326,
      boundary: 'SRID=3857;POLYGON((0 0,0 1000000,1000000 1000000,1000000 0,0 0))',
    }),
    newGeoservice(sampleNames.parks, {
      type: 'wfs',
      url: 'https://maps.example.org/wfs',
      layer: 'town:parks',
      epsg: 3857,
    }),
    newGeoservice(sampleNames.trees, { type: 'geojson', url: 'https://maps.example.org/trees.geojson' }),
  ])
  const check = {
    check_duration: 0.25,
    http_code: 200,
    http_response: null,
    error_type: null,
    error_text: null,
  }
  await addStatuses(server.database, [
    { ...check, geoservice: roads, cumulative_status: 'problematic', checkedAt: new Date(1000) },
    { ...check, geoservice: roads, cumulative_status: 'works', checkedAt: new Date(2000) },
    { ...check, geoservice: parks, cumulative_status: 'failed', checkedAt: new Date(3000) },
  ])
  return { icon, roads, relief, parks, trees }
}
