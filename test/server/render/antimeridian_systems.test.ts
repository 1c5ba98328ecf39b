import { beforeAll, expect, test } from 'vitest'
import type { Bbox } from '../../../src/geo/bbox.ts'
import { createTestLayer } from '../../support/layers.ts'
import { imagePath, readPicture } from '../../support/picture.ts'
import { describeServers, type TestServer } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'

const red = [255, 0, 0, 255]
const filled = '<map><layer><class><style><color red="255" green="0" blue="0"/></style></class></layer></map>'

/** Areas in degrees: an island on both sides of the antimeridian, and land around the earth. */
const areas: readonly Bbox[] = [
  [178.5, -18, 180, -16],
  [-180, -18, -178.9, -16],
  [172, -46, 176, -38],
  [-180, -45, -176, -43],
  [-70, -50, -40, -5],
  [-10, -50, 40, -10],
  [115, -46, 150, -12],
  // A quarter of the earth away on the equator, projections of the Pacific have no coordinates.
  [-92, -2, -80, 0],
  [80, -2, 95, 0],
]

/** Returns whether a position lies inside of an area; undefined close to an edge. */
function isInside(lon: number, lat: number): boolean | undefined {
  const distances = areas.map(([west, south, east, north]) =>
    Math.min(lon - west, lat - south, east - lon, north - lat),
  )
  const most = Math.max(...distances)
  // The two sides of the antimeridian meet.
  return Math.abs(most) < 0.1 ? undefined : most > 0
}

async function createIslands(server: TestServer, srs: 3857 | 4326): Promise<number> {
  const layer = await createTestLayer(server.database, {
    ...{ name: `Islands ${srs}`, geometryType: 'MULTIPOLYGON', srs },
  })
  const rings = areas.map(([w, s, e, n]) => `((${w} ${s}, ${e} ${s}, ${e} ${n}, ${w} ${n}, ${w} ${s}))`)
  const [west, east, ...others] = rings
  // One feature has parts on both sides, as polygons have that are divided at the antimeridian.
  const features = [`${west}, ${east}`, ...others].map((parts) => ({ geom: `MULTIPOLYGON(${parts})` }))
  const answer = await server.admin('PATCH', `/api/resource/${layer}/feature/?srs=4326`, features)
  expect(answer.status).toBe(200)
  return createResource(server.admin, {
    ...{ cls: 'mapsrv_style', parent: layer, name: `Islands style ${srs}` },
    members: { mapsrv_style: { xml: filled } },
  })
}

describeServers('images in projected systems that reach 180°', (start) => {
  let server: TestServer
  const styles = new Map<number, number>()
  beforeAll(async () => {
    server = await start()
    for (const srs of [3857, 4326] as const) styles.set(srs, await createIslands(server, srs))
  })

  const places = Array.from({ length: 19 }, (_, at) => 14 + at * 13)

  /** Returns the longitude and latitude of the pixels of an image of 256 × 256, by row and column of `places`. */
  async function locate(srs: number, [left, bottom, right, top]: Bbox) {
    const pixels = places.flatMap((y) => places.map((x) => ({ x, y })))
    const rows = await server.database.query<{ lon: number; lat: number }>(
      `select ST_X(p) as lon, ST_Y(p) as lat
       from (select at, ST_Transform(ST_SetSRID(ST_MakePoint(x, y), ${srs}), 4326) as p
         from unnest($1::float8[], $2::float8[]) with ordinality as given(x, y, at)) placed order by at`,
      [
        pixels.map(({ x }) => left + ((x + 0.5) * (right - left)) / 256),
        pixels.map(({ y }) => top - ((y + 0.5) * (top - bottom)) / 256),
      ],
    )
    return pixels.map((pixel, at) => ({ ...pixel, lon: rows[at]?.lon ?? 0, lat: rows[at]?.lat ?? 0 }))
  }

  test.each([
    ['the grid of Fiji', 3460, [1_750_000, 3_750_000, 2_250_000, 4_250_000]],
    ['UTM zone 60 south', 32_760, [400_000, 7_900_000, 1_000_000, 8_500_000]],
    ['UTM zone 1 south', 32_701, [0, 7_900_000, 600_000, 8_500_000]],
    ['the grid of New Zealand', 2193, [1_000_000, 4_700_000, 2_600_000, 6_300_000]],
    ['Mercator of the Pacific', 3832, [2_800_000, -2_500_000, 3_800_000, -1_500_000]],
  ] as const)('show both sides in %s', async (_, srs, box) => {
    const located = await locate(srs, box)
    for (const [layerSrs, style] of styles) {
      const picture = await readPicture(server.admin, `${imagePath(style, box)}&srs=${srs}`)
      const wrong = located.filter(({ x, y, lon, lat }) => {
        const inside = isInside(lon, lat)
        return inside !== undefined && String(picture.at(x, y)) !== String(inside ? red : [0, 0, 0, 0])
      })
      expect([layerSrs, wrong]).toEqual([layerSrs, []])
    }
    const shown = located.filter(({ lon, lat }) => isInside(lon, lat))
    expect(shown.some(({ lon }) => lon > 0)).toBe(true)
    expect(shown.some(({ lon }) => lon < 0)).toBe(true)
  })
})
