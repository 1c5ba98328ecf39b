import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunningServer } from '../../src/server/server.ts'
import { sweep } from '../../src/server/sweep.ts'
import { drivers } from '../support/drivers.ts'
import { type KillableGround, makeGround } from '../support/killable.ts'
import { makePicture, readPicture } from '../support/raster.ts'
import { uploadContent } from '../support/samples.ts'
import type { Ask } from '../support/server.ts'
import { createResource } from '../support/tree.ts'

interface WireRaster {
  readonly raster_layer: { readonly xsize: number; readonly data_version: number }
}

const small = makePicture({ srs: 3857, geoTransform: [0, 1, 0, 0, 0, -1], value: () => 10 })
// Large enough for GDAL to take seconds.
const large = makePicture({
  width: 4000,
  height: 4000,
  srs: 3857,
  geoTransform: [0, 1, 0, 0, 0, -1],
  value: null,
  options: ['SPARSE_OK=TRUE', 'TILED=YES'],
})

describe.each(drivers)('a server on %s that is killed while it reads a picture', (driver) => {
  let ground: KillableGround
  beforeAll(async () => {
    ground = await makeGround(driver)
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
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await new Promise((next) => setImmediate(next))
  }

  const look = async (work: (running: RunningServer, admin: Ask) => Promise<void>) => {
    const { running, admin } = await ground.look()
    try {
      await work(running, admin)
    } finally {
      await running.stop()
    }
  }

  const kills: readonly (readonly [string, () => boolean])[] = [
    ['while the picture is projected', () => isThere('warped.tif')],
    ['while the picture is packed', () => isThere('raster.tif')],
    // The small one and its picture, the large one, and then its picture.
    ['once the picture is stored', storedBesides(3)],
  ]

  test('has the layer as before or as after, and no file of the try for good', async () => {
    let id = 0
    for (const [moment, hasCome] of kills) {
      const server = await ground.start()
      if (id === 0) {
        const source = await uploadContent(server.admin, small)
        id = await createResource(server.admin, {
          cls: 'raster_layer',
          name: 'Kept',
          members: { raster_layer: { source } },
        })
      }
      const source = await uploadContent(server.admin, large)
      const broken = server
        .admin('PUT', `/api/resource/${id}`, { raster_layer: { source } })
        .catch(() => undefined)
      await until(hasCome)
      await server.kill()
      await broken
      await look(async (_, admin) => {
        const { raster_layer: own } = await (await admin('GET', `/api/resource/${id}`)).json<WireRaster>()
        expect(
          [
            [40, 1],
            [4000, 2],
          ],
          moment,
        ).toContainEqual([own.xsize, own.data_version])
        const content = Buffer.from(await (await admin('GET', `/api/resource/${id}/cog`)).arrayBuffer())
        expect(readPicture(content, ({ width }) => width)).toBe(own.xsize)
        expect(folders()).toEqual([])
      })
    }
    await look(async ({ context }, admin) => {
      expect((await admin('DELETE', `/api/resource/${id}`)).status).toBe(200)
      const { database, blobs } = context
      for (const table of ['upload', 'prepared_raster', 'blob'])
        await database.query(`update ${table} set created_at = created_at - interval '2 days'`)
      await sweep(context, Date.now() + 2 * 86_400_000)
      expect(await Array.fromAsync(blobs.list())).toEqual([])
    })
  })
})
