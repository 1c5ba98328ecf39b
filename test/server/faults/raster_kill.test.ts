import { existsSync, readdirSync, watch } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collectGarbage } from '../../../src/server/garbage_collection.ts'
import { oneDriver } from '../../support/drivers.ts'
import { createServerEnvironment, type ServerEnvironment } from '../../support/killable.ts'
import { inspectRaster, makeRaster } from '../../support/raster.ts'
import { uploadContent } from '../../support/samples.ts'
import type { Ask } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'

interface WireRaster {
  readonly raster_layer: { readonly xsize: number; readonly data_version: number }
}

const place = { srs: 3857, geoTransform: [0, 1, 0, 0, 0, -1] }
const small = { width: 40, content: () => makeRaster({ ...place, value: () => 10 }) }
// Large enough for GDAL to take a while.
const sparse = { value: null, options: ['SPARSE_OK=TRUE', 'TILED=YES'] }
const large = { width: 2500, content: () => makeRaster({ ...place, ...sparse, width: 2500, height: 2500 }) }

describe.each(oneDriver)('a server on %s that is killed while it reads a raster', (driver) => {
  let ground: ServerEnvironment
  beforeAll(async () => {
    ground = await createServerEnvironment(driver)
  })
  afterAll(() => ground.remove())

  /** The folders of pictures that are being read. */
  const folders = () => {
    const folder = join(ground.dataFolder, 'temporary')
    return existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('raster-')) : []
  }
  const isThere = (file: string) =>
    folders().some((name) => existsSync(join(ground.dataFolder, 'temporary', name, file)))
  /** Files that are being stored, or were, besides a number of them. */
  const storedBesides = (count: number) => () => {
    const folder = join(ground.dataFolder, 'files')
    const shards = readdirSync(folder).filter((name) => name !== 'incoming')
    return shards.flatMap((shard) => readdirSync(join(folder, shard))).length > count
  }
  /** Waits until something is so in the folder, or until it is too late for it. */
  const until = (isSo: () => boolean, end: Promise<unknown>) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (isSo()) finish()
      }
      const watchers = ['temporary', 'files'].map((name) =>
        watch(join(ground.dataFolder, name), { recursive: true }, look),
      )
      const finish = () => {
        for (const watcher of watchers) watcher.close()
        resolve()
      }
      void end.then(finish)
      look()
    })

  const kills: readonly (readonly [string, () => boolean])[] = [
    ['while the picture is projected', () => isThere('warped.tif')],
    ['while the picture is packed', () => isThere('raster.tif')],
    // The small one and its picture, the large one, and then its picture.
    ['once the picture is stored', storedBesides(3)],
  ]

  let id = 0
  const send = async (admin: Ask, content: Uint8Array) => ({
    raster_layer: { source: await uploadContent(admin, content) },
  })

  /** Makes sure that the layer has one of the two pictures, whole. */
  const check = async (admin: Ask) => {
    const { raster_layer: own } = await (await admin('GET', `/api/resource/${id}`)).json<WireRaster>()
    expect([small, large].map(({ width }) => width)).toContain(own.xsize)
    expect(own.data_version > 1).toBe(own.xsize === large.width)
    const content = Buffer.from(await (await admin('GET', `/api/resource/${id}/cog`)).arrayBuffer())
    expect(inspectRaster(content, ({ width }) => width)).toBe(own.xsize)
    expect(folders()).toEqual([])
  }

  test.each(kills)('has the layer as before or as after when it is killed %s', async (_, hasCome) => {
    const { admin, kill } = await ground.start()
    if (id === 0) {
      const members = await send(admin, small.content())
      id = await createResource(admin, { cls: 'raster_layer', name: 'Kept', members })
    }
    await check(admin)
    const body = await send(admin, large.content())
    const end = admin('PUT', `/api/resource/${id}`, body).catch(() => undefined)
    await until(hasCome, end)
    await kill()
    await end
  })

  test('eventually deletes the files of these attempts', async () => {
    const { running, admin } = await ground.inspect()
    try {
      await check(admin)
      expect((await admin('DELETE', `/api/resource/${id}`)).status).toBe(200)
      const { database, blobs } = running.context
      for (const table of ['upload', 'prepared_raster', 'blob'])
        await database.query(`update ${table} set created_at = created_at - interval '2 days'`)
      await collectGarbage(running.context, Date.now() + 2 * 86_400_000)
      expect(await Array.fromAsync(blobs.list())).toEqual([])
    } finally {
      await running.stop()
    }
  })
})
