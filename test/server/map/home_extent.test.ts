import { expect, test } from 'vitest'
import type { WebmapConfig } from '../../../src/contract/bodies/webmap_config.ts'
import { connectService } from '../../support/connected_service.ts'
import { makeOpenGroup } from '../../support/map.ts'
import { type Ask, describeServer } from '../../support/server.ts'
import { allow, createLayer, createResource, createStyle } from '../../support/tree.ts'

const item = (style: number, isEnabled = true) => ({
  ...{ item_type: 'layer', display_name: `Style ${style}`, layer_style_id: style },
  layer_enabled: isEnabled,
})

describeServer('the initial extent of a web map', (start) => {
  let making: ReturnType<typeof makeGroup> | undefined
  const prepare = async () => {
    const server = await start()
    making ??= makeGroup(server)
    return { ...server, ...(await making) }
  }

  async function makeGroup(server: Awaited<ReturnType<typeof start>>) {
    const { admin } = server
    const { parent, guest } = await makeOpenGroup(server)
    const createStyled = async (name: string, places: readonly string[], rule?: object) => {
      const layer = await createLayer(admin, { name, geometryType: 'POINT', parent })
      for (const geom of places)
        await admin('POST', `/api/resource/${layer}/feature/?srs=4326`, { geom, fields: {} })
      if (rule !== undefined)
        await admin('PUT', `/api/resource/${layer}`, { resource: { permissions: [rule] } })
      return createStyle(admin, { parent: layer, name: `${name}, style` })
    }
    const hidden = { ...allow(guest, 'data', 'read'), action: 'deny' }
    const styles = {
      town: await createStyled('Town', ['POINT(10 50)', 'POINT(12 51)']),
      pacific: await createStyled('Pacific', ['POINT(-170 -10)']),
      secret: await createStyled('Secret', ['POINT(-60 -30)'], hidden),
      fiji: await createStyled('Fiji', ['POINT(178 -18)']),
      empty: await createStyled('Empty', []),
    }
    return { parent, styles }
  }

  const openMap = async (
    ask: Ask,
    { admin, parent }: Awaited<ReturnType<typeof prepare>>,
    webmap: object,
  ): Promise<number[]> => {
    const name = `Map ${JSON.stringify(webmap).slice(0, 200)}`
    const id = await createResource(admin, { cls: 'webmap', parent, name, members: { webmap } })
    const answer = await ask('GET', `/api/resource/${id}/webmap/display_config`)
    const { initialExtent } = await answer.json<WebmapConfig>()
    await admin('DELETE', `/api/resource/${id}`)
    return initialExtent.map((side) => Math.round(side * 1000) / 1000)
  }
  const root = (...children: object[]) => ({ root_item: { item_type: 'root', children } })

  test('is that of its visible layers', async () => {
    const all = await prepare()
    const { guest, styles } = all
    const extent = [9.9, 49.95, 12.1, 51.05]
    expect(await openMap(guest, all, root(item(styles.town)))).toEqual(extent)
    expect(await openMap(guest, all, root(item(styles.town), item(styles.pacific, false)))).toEqual(extent)
    expect(await openMap(guest, all, root(item(styles.town, false), item(styles.empty, false)))).toEqual(
      extent,
    )
  })

  test('crosses the antimeridian where that is shorter, and is not smaller than a village', async () => {
    const all = await prepare()
    const { guest, styles } = all
    const both = root(item(styles.pacific), item(styles.fiji))
    expect(await openMap(guest, all, both)).toEqual([177.4, -18.4, -169.4, -9.6])
    expect(await openMap(guest, all, root(item(styles.fiji)))).toEqual([177.995, -18.005, 178.005, -17.995])
  })

  test('is that of layers which its reader may see', async () => {
    const all = await prepare()
    const { admin, guest, styles } = all
    const map = root(item(styles.town), item(styles.secret))
    expect(await openMap(guest, all, map)).toEqual([9.9, 49.95, 12.1, 51.05])
    expect(await openMap(admin, all, map)).toEqual([-63.6, -34.05, 15.6, 55.05])
  })

  test('is that of layers of external services if no other is known', async () => {
    const all = await prepare()
    const { admin, database, parent, styles } = all
    const createLayerOf = await connectService({ admin, database }, parent)
    const [roads, both, rails] = [
      await createLayerOf('roads'),
      await createLayerOf('rails,islands'),
      await createLayerOf('rails'),
    ]
    expect(await openMap(admin, all, root(item(roads), item(styles.empty)))).toEqual([4.5, 46.5, 15.5, 57.5])
    expect(await openMap(admin, all, root(item(both)))).toEqual([174.5, -20.5, -174.5, -9.5])
    expect(await openMap(admin, all, root(item(roads), item(styles.town)))).toEqual([9.9, 49.95, 12.1, 51.05])
    expect(await openMap(admin, all, root(item(rails)))).toEqual([-180, -90, 180, 90])
  })

  test('is its own if it has one, and the world without places', async () => {
    const all = await prepare()
    const { guest, styles } = all
    const own = { extent_left: 1, extent_bottom: 2, extent_right: 3, extent_top: 4 }
    expect(await openMap(guest, all, { ...own, ...root(item(styles.town)) })).toEqual([1, 2, 3, 4])
    expect(await openMap(guest, all, root(item(styles.empty)))).toEqual([-180, -90, 180, 90])
    expect(await openMap(guest, all, root())).toEqual([-180, -90, 180, 90])
  })
})
