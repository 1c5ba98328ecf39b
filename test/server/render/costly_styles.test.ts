import { expect, test } from 'vitest'
import { createTestLayer } from '../../support/layers.ts'
import { namedSymbol, qml, single, symbolLayer, symbols } from '../../support/qml.ts'
import { describeServer } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'

const marker = (size: string) =>
  namedSymbol('@0@0', 'marker', symbolLayer('SimpleMarker', { size, size_unit: 'Pixel' }))

const dots = (distance: string, size: string) =>
  symbolLayer(
    'PointPatternFill',
    { distance_x: distance, distance_y: distance, distance_x_unit: 'Pixel', distance_y_unit: 'Pixel' },
    marker(size),
  )

const fill = symbolLayer('SimpleFill', { color: '255,0,0,255', outline_style: 'no' })

/** An image in which each level shows the level below ten times. */
function nestedUses(levels: number): string {
  const groups = Array.from({ length: levels }, (_, at) => {
    const below = at === 0 ? '<rect width="4" height="4"/>' : `<use href="#g${at - 1}"/>`.repeat(10)
    return `<g id="g${at}">${below}</g>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"><defs>${groups.join('')}</defs><use href="#g${levels - 1}"/></svg>`
}

const svg = (text: string) =>
  symbolLayer('SvgMarker', { name: `base64:${Buffer.from(text).toString('base64')}`, size: '10' })

const centroids = (inner: string) => symbolLayer('CentroidFill', {}, namedSymbol('@0@0', 'marker', inner))

describeServer('styles', (start) => {
  /** A style of a layer with polygons that cover the world. */
  async function createStyle(name: string, layers: string, polygons = 1, text = single('fill', layers)) {
    const server = await start()
    const layer = await createTestLayer(server.database, { name, geometryType: 'POLYGON', fields: {} })
    const geom = 'POLYGON((-20000000 -20000000,20000000 -20000000,0 20000000,-20000000 -20000000))'
    const features = Array.from({ length: polygons }, () => ({ geom }))
    expect((await server.admin('PATCH', `/api/resource/${layer}/feature/`, features)).status).toBe(200)
    return createResource(server.admin, {
      cls: 'desk_vector_style',
      parent: layer,
      name: 'costly',
      members: { desk_vector_style: { qml: text } },
    })
  }

  const request = async (path: string) => {
    const answer = await (await start()).admin('GET', path)
    return answer.status === 200
      ? answer.status
      : `${answer.status} ${(await answer.json<{ code: string }>()).code}`
  }
  const tile = (id: number) => request(`/api/component/render/tile?z=0&x=0&y=0&resource=${id}`)
  const vectorTile = async (style: number) => {
    const { resource } = await (await start())
      .admin('GET', `/api/resource/${style}`)
      .then((answer) => answer.json<{ resource: { parent: { id: number } } }>())
    const layer = resource.parent.id
    return request(`/api/component/feature_layer/mvt?z=0&x=0&y=0&resource=${layer}&style=${style}`)
  }
  const legend = (id: number) => request(`/api/resource/${id}/legend`)

  test.each([
    ['large markers at a distance of a pixel', dots('0.001', '200'), 1],
    ['a pattern of markers of any size', dots('10', '1e300'), 1],
    ['thousands of layers on many polygons', fill.repeat(7000), 200],
  ])('are refused for %s', async (name, layers, polygons) => {
    expect(await tile(await createStyle(name, layers, polygons))).toBe('422 render/too-large')
  })

  /** An expression of 100,000 characters, made of ten. */
  const long = `${'replace('.repeat(4)}'aaaaaaaaaa'${", 'a', 'aaaaaaaaaa')".repeat(4)}`
  const filtered = (filter: string, rules = 1) => {
    const rule = `<rule symbol="0" filter="${filter}"/>`
    const list = `<rules key="r">${rule.repeat(rules)}</rules>`
    return qml('type="RuleRenderer"', `${list}${symbols(namedSymbol('0', 'fill', fill))}`)
  }

  test.each([
    [
      'filters of thousands of terms',
      Array.from({ length: 5000 }, (_, at) => `$id=-${at}`).join(' OR '),
      2000,
      20,
    ],
    [
      'filters with long strings',
      Array.from({ length: 40 }, () => `length(${long}) &lt; 7`).join(' OR '),
      200,
    ],
    [
      'regular expressions in long strings',
      Array.from({ length: 40 }, () => `left(${long}, 9999) ~ '${'(a|b)?'.repeat(60)}c'`).join(' OR '),
      200,
    ],
    [
      'patterns in long strings',
      Array.from({ length: 40 }, () => `${long} LIKE '%${'a'.repeat(200)}b'`).join(' OR '),
      200,
    ],
  ])('are refused for %s over many features', async (name, filter, polygons, rules = 1) => {
    const id = await createStyle(name, '', polygons, filtered(filter, rules))
    expect(await tile(id)).toBe('422 render/too-large')
    expect(await vectorTile(id)).toBe('422 render/too-large')
  })

  test('with the same filters over few features are drawn', async () => {
    const filter = Array.from({ length: 5000 }, (_, at) => `$id=-${at}`).join(' OR ')
    const id = await createStyle('few', '', 10, filtered(filter))
    expect([await tile(id), await vectorTile(id)]).toEqual([200, 200])
  })

  test('are refused in legends too', async () => {
    expect(await legend(await createStyle('legend', dots('10', '1e300')))).toBe('422 render/too-large')
  })

  test('with usual patterns and layers are drawn', async () => {
    const id = await createStyle('usual', `${fill}${dots('4', '3')}${centroids(svg(nestedUses(2)))}`)
    expect([await tile(id), await legend(id)]).toEqual([200, 200])
  })

  test('leave out images that repeat their elements without end', async () => {
    const id = await createStyle('uses', `${fill}${centroids(svg(nestedUses(12)))}`)
    expect([await tile(id), await legend(id)]).toEqual([200, 200])
  })
})

describeServer(
  'the setting of the maximum time',
  (start) => {
    test('ends the drawing of a tile', async () => {
      const { admin, database } = await start()
      const parent = await createTestLayer(database, { name: 'slow', geometryType: 'POLYGON', fields: {} })
      const geom = 'POLYGON((-2e7 -2e7,2e7 -2e7,0 2e7,-2e7 -2e7))'
      await admin('POST', `/api/resource/${parent}/feature/`, { geom })
      const members = { desk_vector_style: { qml: single('fill', fill) } }
      const style = await createResource(admin, { cls: 'desk_vector_style', parent, name: 'plain', members })
      const answer = await admin('GET', `/api/component/render/tile?z=0&x=0&y=0&resource=${style}`)
      expect([answer.status, await answer.json()]).toEqual([
        503,
        expect.objectContaining({ code: 'render/timeout' }),
      ])
    })
  },
  { renderTimeoutSeconds: 0.000_001 },
)
