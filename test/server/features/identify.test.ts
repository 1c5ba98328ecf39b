import { expect, test } from 'vitest'
import { createTestLayer, publishLayer } from '../../support/layers.ts'
import { describeServers, type TestServer } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'

const everywhere = 'POLYGON((-100 -100,100 -100,100 100,-100 100,-100 -100))'

let names = 0

async function createSample(server: TestServer, srs: 3857 | 4326 = 3857): Promise<number> {
  names += 1
  const fields = { name: 'STRING', day: 'DATE' } as const
  const layer = { name: `wells ${names}`, geometryType: 'POINT', fields, label: 'name', srs } as const
  const id = await createTestLayer(server.database, layer)
  await server.admin('PATCH', `/api/resource/${id}/feature/`, [
    { geom: 'POINT(1 1)', fields: { name: 'Old well', day: '2020-01-02' } },
    { geom: 'POINT(2 2)' },
    { geom: 'POINT(90 60)', fields: { name: 'far' } },
  ])
  return id
}

describeServers('identify', (start) => {
  test('finds intersecting features, with label, fields and the name of the layer', async () => {
    const server = await start()
    const id = await createSample(server)
    const geom = 'POLYGON((0 0,5 0,5 5,0 5,0 0))'
    const answer = await server.admin('POST', '/api/feature_layer/identify', {
      srs: 3857,
      geom,
      layers: [id],
    })
    expect(await answer.json()).toEqual({
      [id]: {
        featureCount: 2,
        features: [
          {
            id: 1,
            layerId: id,
            label: 'Old well',
            fields: { name: 'Old well', day: { year: 2020, month: 1, day: 2 } },
            parent: `wells ${names}`,
          },
          { id: 2, layerId: id, label: '#2', fields: { name: null, day: null }, parent: `wells ${names}` },
        ],
      },
      featureCount: 2,
    })
  })

  test('reprojects the geometry to the reference system of each layer', async () => {
    const server = await start()
    const layers = [await createSample(server, 4326), await createSample(server)]
    const geom = 'POLYGON((0 0,5 0,5 5,0 5,0 0))'
    const ask = async (srs: number) => {
      const answer = await server.admin('POST', '/api/feature_layer/identify', { srs, geom, layers })
      const found = await answer.json<Record<string, { featureCount: number }>>()
      return layers.map((id) => found[id]?.featureCount)
    }
    expect(await ask(4326)).toEqual([2, 3])
    expect(await ask(3857)).toEqual([0, 2])
  })

  test('finds features in every copy of the world, and on both sides of the antimeridian', async () => {
    const server = await start()
    const layers = [await createSample(server, 4326), await createSample(server)]
    for (const id of layers)
      await server.admin('PATCH', `/api/resource/${id}/feature/?srs=4326`, [
        { geom: 'POINT(-179.9 50)', fields: { name: '-179.9' } },
        { geom: 'POINT(179.9 50)', fields: { name: '179.9' } },
      ])
    for (const [srs, units] of [
      [4326, 1],
      [3857, 20_037_508.342789244 / 180],
    ] as const) {
      const find = async (west: number, east: number) => {
        const [left, right, bottom, top] = [west, east, 40, 80].map((degrees) => degrees * units)
        const geom = `POLYGON((${left} ${bottom},${right} ${bottom},${right} ${top},${left} ${top},${left} ${bottom}))`
        const answer = await server.admin('POST', '/api/feature_layer/identify', { srs, geom, layers })
        const found = await answer.json<Record<string, { features: { label: string }[] }>>()
        return layers.map((id) => found[id]?.features.map(({ label }) => label))
      }
      const both = ['-179.9', '179.9']
      expect(await find(179, 181)).toEqual([both, both])
      expect(await find(-181, -179)).toEqual([both, both])
      expect(await find(180.05, 181)).toEqual([['-179.9'], ['-179.9']])
      expect(await find(-181, -180.05)).toEqual([['179.9'], ['179.9']])
      expect((await find(449, 451))[0]).toEqual(['far'])
      expect((await find(-271, -269))[0]).toEqual(['far'])
    }
  })

  test('through a style finds what its classes show at the scale, the most important first', async () => {
    const server = await start()
    const id = await createTestLayer(server.database, {
      ...{ name: 'towns', geometryType: 'POINT', fields: { people: 'INTEGER' } },
    })
    const towns = [5, 500, 50_000, 100].map((people) => ({ geom: 'POINT(1 1)', fields: { people } }))
    await server.admin('PATCH', `/api/resource/${id}/feature/`, towns)
    const classOf = (least: number, most: number) =>
      `<class><expression>([people] &gt;= ${least})</expression><maxscaledenom>${most}</maxscaledenom><style/></class>`
    const xml = `<map><layer>${classOf(1000, 1e7)}${classOf(100, 1e6)}${classOf(0, 1e5)}</layer></map>`
    const style = await createResource(server.admin, {
      ...{ cls: 'mapsrv_style', parent: id, name: 'By people', members: { mapsrv_style: { xml } } },
    })
    const find = async (ask: typeof server.admin, more: object) => {
      const body = { srs: 3857, geom: everywhere, layers: [id], ...more }
      const answer = await (await ask('POST', '/api/feature_layer/identify', body)).json<
        Record<string, { features: { fields: { people: number } }[] }>
      >()
      return answer[id]?.features.map(({ fields }) => fields.people)
    }
    expect(await find(server.admin, { styles: [style], scale_denom: 5e6 })).toEqual([50_000])
    expect(await find(server.admin, { styles: [style], scale_denom: 5e5 })).toEqual([50_000, 500, 100])
    expect(await find(server.admin, { styles: [style], scale_denom: 5e4 })).toEqual([50_000, 500, 100, 5])
    expect(await find(server.admin, { styles: [style], scale_denom: 1e9 })).toEqual([])
    for (const more of [{}, { styles: [style] }, { styles: [99_999], scale_denom: 5e6 }])
      expect(await find(server.admin, more)).toEqual([5, 500, 50_000, 100])
  })

  test('a layer that the caller cannot read has an error, and the others have results', async () => {
    const server = await start()
    const [open, closed] = [await createSample(server), await createSample(server)]
    await publishLayer(server.database, open)
    const group = await createResource(server.admin, { cls: 'resource_group', name: 'a group' })
    const body = {
      srs: 4326,
      geom: everywhere.replaceAll('100', '80'),
      layers: [open, closed, group, 99_999],
    }
    const guest = await server.guest('POST', '/api/feature_layer/identify', body)
    expect(await guest.json()).toMatchObject({
      [open]: { featureCount: 3 },
      [closed]: { error: 'Forbidden' },
      [group]: { error: 'Forbidden' },
      99999: { error: 'Not found' },
      featureCount: 3,
    })
    const admin = await server.admin('POST', '/api/feature_layer/identify', {
      ...body,
      layers: [group, open],
    })
    expect(await admin.json()).toMatchObject({
      [group]: { error: 'Not implemented' },
      [open]: { featureCount: 3 },
    })
  })

  test('returns at most a hundred features of a layer', async () => {
    const server = await start()
    const id = await createTestLayer(server.database, { name: 'crowd', geometryType: 'POINT' })
    await server.admin('PATCH', `/api/resource/${id}/feature/`, Array(120).fill({ geom: 'POINT(1 1)' }))
    const body = { srs: 3857, geom: everywhere, layers: [id, id] }
    const answer = await server.admin('POST', '/api/feature_layer/identify', body)
    const found = await answer.json<Record<string, { features: { id: number }[] }>>()
    expect(found.featureCount).toBe(100)
    expect(found[id]?.features.map((feature) => feature.id)).toEqual(
      Array.from({ length: 100 }, (_, at) => at + 1),
    )
  })

  test.each([
    [{ srs: 3857, geom: 'POLYGON((0 0', layers: [] }, 'invalid WKT'],
    [{ srs: 999_998, geom: everywhere, layers: [] }, 'EPSG:999998'],
    [{ srs: 3857, geom: everywhere }, 'layers'],
    [{ srs: 3857, geom: 5, layers: [] }, 'geom'],
  ])('refuses %j', async (body, word) => {
    const server = await start()
    const answer = await server.admin('POST', '/api/feature_layer/identify', body)
    expect(answer.status).toBe(422)
    expect((await answer.json<{ message: string }>()).message).toContain(word)
  })
})
