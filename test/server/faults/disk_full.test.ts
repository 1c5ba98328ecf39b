import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { makePhoto, openAttachments } from '../../support/attachments.ts'
import { captureLog } from '../../support/log.ts'
import { onlyNew } from '../../support/only_new.ts'
import { uploadContent } from '../../support/samples.ts'
import { adminPassword, startTestServer, type TestResponse, type TestServer } from '../../support/server.ts'
import { mountSmallDisk, type SmallDisk } from '../../support/small_disk.ts'
import { createLayer, createResource } from '../../support/tree.ts'
import { openTus } from '../../support/tus.ts'
import { geojson, point } from '../../support/vector.ts'
import { makeZip } from '../../support/zip.ts'

describe('a server whose data folder is on a full disk', () => {
  const { log, written } = captureLog()
  let disk: SmallDisk
  let server: TestServer
  beforeAll(async () => {
    disk = await mountSmallDisk(64 * 2 ** 20)
    server = await startTestServer('postgres', { dataFolder: disk.folder, log })
  })
  afterAll(async () => {
    await server?.stop()
    await disk?.unmount()
  })

  const list = (...parts: string[]) => {
    const folder = join(disk.folder, ...parts)
    return existsSync(folder) ? readdirSync(folder) : []
  }
  const findNewLeftovers = onlyNew(async () => {
    const staged = await server.database.query<{ name: string }>('select table_name as name from staging')
    return [...list('temporary'), ...list('files', 'incoming'), ...staged.map(({ name }) => name)]
  })
  afterEach(async () => {
    await disk.free()
    expect(await findNewLeftovers()).toEqual([])
  })

  /** Does something while there is no room but for so many bytes. */
  const whileFull = async <T>(work: () => Promise<T>, leftBytes = 0): Promise<T> => {
    await disk.fill(leftBytes)
    try {
      return await work()
    } finally {
      await disk.free()
    }
  }
  const expectFull = async (answer: TestResponse) => {
    expect([answer.status, await answer.json()]).toEqual([
      503,
      expect.objectContaining({ code: 'files/full' }),
    ])
  }

  const path = '/api/component/file_upload/'
  const content = randomBytes(300_000)
  const form = () => {
    const data = new FormData()
    data.append('file', new Blob([content]), 'a.bin')
    return data
  }
  test.each([
    ['a form', () => server.admin('POST', path, form())],
    ['a raw body', () => server.admin('PUT', path, content)],
  ])('refuses an upload as %s, and accepts it when there is space', async (_, send) => {
    await expectFull(await whileFull(send, 100_000))
    expect((await send()).status).toBe(200)
  })

  test('refuses a part of an upload, and resumes it when there is space', async () => {
    const tus = openTus(server.admin)
    const upload = await tus.begin({ length: content.length })
    await expectFull(await whileFull(() => tus.append(upload, 0, content), 100_000))
    const offset = await tus.offset(upload)
    expect((await tus.append(upload, offset, content.subarray(offset))).status).toBe(204)
    const read = await (await server.admin('GET', upload)).json<{ size: number }>()
    expect(read.size).toBe(content.length)
  })

  const features = Array.from({ length: 2000 }, (_, at) => ({
    geometry: point(at / 100, 1),
    properties: { text: `${at} `.padEnd(500, 'x') },
  }))
  const count = async () => {
    const [row] = await server.database.query<{ count: number }>('select count(*)::int from layer')
    return row?.count
  }
  test('refuses an import that must unpack files, and runs it when there is space', async () => {
    const archive = makeZip([{ name: 'data.geojson', content: geojson(features) }])
    const source = await uploadContent(server.admin, archive)
    const before = await count()
    const send = () =>
      server.admin('POST', '/api/resource/', {
        resource: { cls: 'vector_layer', parent: { id: 0 }, display_name: 'Unpacked' },
        vector_layer: { source: { ...source, name: 'data.zip' }, srs: { id: 3857 } },
      })
    await expectFull(await whileFull(send, 200_000))
    expect(await count()).toBe(before)
    expect((await send()).status).toBe(200)
  })

  test('reports that a preview is not available, and creates it when there is space', async () => {
    const layer = await createLayer(server.admin, { name: 'Photos', geometryType: 'POINT' })
    await server.admin('POST', `/api/resource/${layer}/feature/`, {})
    const { list: attachments, path: own } = openAttachments(server.admin, layer, 1)
    const upload = await uploadContent(server.admin, await makePhoto({ width: 900, height: 600 }))
    const body = { name: 'a.jpg', file_upload: upload }
    const id = await whileFull(async () => {
      const made = await (await server.admin('POST', own, body)).json<{ id: number }>()
      await expectFull(await server.admin('GET', `${own}${made.id}/image`))
      return made.id
    })
    expect(await attachments()).toMatchObject([{ id, is_image: true }])
    expect((await server.admin('GET', `${own}${id}/image`)).status).toBe(200)
  })

  test('draws tiles without keeping them, says so once, and keeps others when there is space', async () => {
    const layer = await createLayer(server.admin, { name: 'Drawn', geometryType: 'POINT' })
    const geom = 'POINT(5e6 5e6)'
    await server.admin('PATCH', `/api/resource/${layer}/feature/`, [{ geom }])
    const members = { tile_cache: { enabled: true } }
    const style = await createResource(server.admin, {
      cls: 'mapsrv_style',
      parent: layer,
      name: 'Kept',
      members,
    })
    const draw = async (place: string, rest = '') => {
      const path = `/api/component/render/tile?${place}&resource=${style}${rest}`
      const answer = await server.admin('GET', path)
      return [answer.status, Buffer.from(await answer.arrayBuffer()).toString('base64')]
    }
    const countKept = async () =>
      (await server.admin('GET', `/api/component/landform/tile_cache/${style}`)).json<{ tiles: number }>()
    const places = ['z=0&x=0&y=0', 'z=1&x=1&y=0', 'z=2&x=2&y=1']
    const [whole, ...others] = places
    const drawn = await whileFull(async () => {
      const tiles = await Promise.all(others.map((place) => draw(place)))
      expect(await countKept()).toMatchObject({ tiles: 0 })
      return tiles
    })
    expect(drawn.map(([status]) => status)).toEqual([200, 200])
    expect(await Promise.all(others.map((place) => draw(place, '&cache=false')))).toEqual(drawn)
    expect(written.filter((line) => line.includes('the tile cache cannot be written'))).toHaveLength(1)
    await draw(whole ?? '')
    expect(await countKept()).toMatchObject({ tiles: 1 })
  })

  describe('with a layer of many features', () => {
    let layer = ''
    beforeAll(async () => {
      const fields = [{ keyname: 'text', datatype: 'STRING' }]
      layer = `/api/resource/${await createLayer(server.admin, { name: 'Many', geometryType: 'POINT', fields })}`
    })
    const entries = Array.from({ length: 20_000 }, (_, at) => ({
      geom: `POINT(${at} 0)`,
      fields: { text: `${at} `.padEnd(1000, 'x') },
    }))
    const countFeatures = async () =>
      (await (await server.admin('GET', `${layer}/feature_count`)).json<{ total_count: number }>())
        .total_count

    test('refuses changes that exceed the memory, and accepts them when there is space', async () => {
      const send = () => server.admin('PATCH', `${layer}/feature/`, entries)
      await expectFull(await whileFull(send, 1 << 20))
      expect(await countFeatures()).toBe(0)
      expect((await send()).status).toBe(200)
      expect(await countFeatures()).toBe(entries.length)
    })

    /** Asks for a list and does not read it until the work is done; gives its text, or what broke it. */
    const readLate = async (work: () => Promise<unknown>): Promise<string> => {
      const auth = `administrator:${adminPassword}`
      const answering = Promise.withResolvers<AsyncIterable<Buffer>>()
      get(`${server.url}${layer}/feature/`, { auth, agent: false }, answering.resolve).on(
        'error',
        answering.reject,
      )
      const answer = await answering.promise
      await work()
      try {
        return Buffer.concat(await Array.fromAsync(answer)).toString()
      } catch (error) {
        return (error as NodeJS.ErrnoException).code ?? String(error)
      }
    }
    const countCopies = async () => {
      const [row] = await server.database.query<{ count: number }>(
        `select count(*)::int from pg_stat_activity
          where datname = current_database() and state <> 'idle' and query ilike 'copy %'`,
      )
      return row?.count
    }
    test('aborts a list whose reader is too slow for the memory, and continues to serve', async () => {
      const text = await whileFull(() =>
        readLate(async () => {
          // The database gives all rows without waiting for the reader, unless the disk refuses them.
          while ((await countCopies()) !== 0) expect(await countFeatures()).toBe(entries.length)
        }),
      )
      expect(text).toBe('ECONNRESET')
      const whole = await readLate(async () => undefined)
      expect(JSON.parse(whole)).toHaveLength(entries.length)
    })
  })
})
