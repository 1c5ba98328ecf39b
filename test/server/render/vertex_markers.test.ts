import sharp from 'sharp'
import { expect, test } from 'vitest'
import { innerSymbol, oneSymbol, simpleMarker } from '../../support/gallery/gallery_entry.ts'
import { createTestLayer } from '../../support/layers.ts'
import { symbolLayer } from '../../support/qml.ts'
import { uploadContent } from '../../support/samples.ts'
import { describeServer, type TestServer } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'

/** Metres of EPSG:3857 per pixel of the tile of all of the world. */
const pixel = (2 * 20_037_508.342789) / 256

/** Positions from left to right, 20 pixels apart. */
const row = (y: number) =>
  Array.from({ length: 11 }, (_, at) => `${(20 * at - 100) * pixel} ${y * pixel}`).join(', ')

const dot = innerSymbol(
  'marker',
  simpleMarker({
    ...{ name: 'square', size: '6', size_unit: 'Pixel', color: '255,0,0,255', outline_style: 'no' },
  }),
)

const styleOf = (type: 'line' | 'fill', placements: string) =>
  oneSymbol(type, symbolLayer('MarkerLine', { rotate: '0', placements, ring_filter: '0' }, dot))

interface Drawing {
  readonly geometryType: 'LINESTRING' | 'POLYGON'
  readonly geom: string
  readonly placements: string
}

/** Draws a geometry, and returns how many markers the row of pixels above the middle of the tile crosses. */
async function countMarkers(
  server: TestServer,
  { geometryType, geom, placements }: Drawing,
): Promise<number> {
  const name = `${geometryType} ${placements}`
  const parent = await createTestLayer(server.database, { name, geometryType, fields: {} })
  const written = await server.admin('PATCH', `/api/resource/${parent}/feature/`, [{ geom, fields: {} }])
  expect(written.status).toBe(200)
  const qml = styleOf(geometryType === 'POLYGON' ? 'fill' : 'line', placements)
  const members = { desk_vector_style: { file_upload: await uploadContent(server.admin, qml) } }
  const style = await createResource(server.admin, { cls: 'desk_vector_style', parent, name, members })
  const answer = await server.admin('GET', `/api/component/render/tile?z=0&x=0&y=0&resource=${style}`)
  expect(answer.status).toBe(200)
  const { data } = await sharp(Buffer.from(await answer.arrayBuffer()))
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const isSet = Array.from({ length: 256 }, (_, x) => (data[4 * (127 * 256 + x) + 3] ?? 0) > 128)
  return isSet.filter((set, x) => set && isSet[x - 1] !== true).length
}

describeServer('markers on vertices', (start) => {
  test('are drawn on those that change no shape, on lines and outlines', async () => {
    const server = await start()
    const line = { geometryType: 'LINESTRING', geom: `LINESTRING(${row(0)})` } as const
    expect(await countMarkers(server, { ...line, placements: 'Vertex' })).toBe(11)
    expect(await countMarkers(server, { ...line, placements: 'InnerVertices' })).toBe(9)
    expect(await countMarkers(server, { ...line, placements: 'SegmentCenter' })).toBe(10)
    expect(await countMarkers(server, { ...line, placements: 'CentralPoint' })).toBe(1)
    const [first = ''] = row(0).split(', ')
    const below = [`${100 * pixel} ${-60 * pixel}`, `${-100 * pixel} ${-60 * pixel}`].join(', ')
    const geom = `POLYGON((${row(0)}, ${below}, ${first}))`
    expect(await countMarkers(server, { geometryType: 'POLYGON', geom, placements: 'Vertex' })).toBe(11)
  })
})
