import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, watch } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collectGarbage } from '../../../src/server/garbage_collection.ts'
import { makePhoto, openAttachments } from '../../support/attachments.ts'
import { oneDriver } from '../../support/drivers.ts'
import { createServerEnvironment, type ServerEnvironment } from '../../support/killable.ts'
import type { Ask } from '../../support/server.ts'
import { createLayer } from '../../support/tree.ts'
import { openTus } from '../../support/tus.ts'

describe.each(oneDriver)('a server on %s that is killed', (driver) => {
  let ground: ServerEnvironment
  beforeAll(async () => {
    ground = await createServerEnvironment(driver)
  })
  afterAll(() => ground.remove())

  const countFiles = () => {
    const folder = join(ground.dataFolder, 'files')
    const shards = readdirSync(folder).filter((name) => name !== 'incoming')
    return shards.flatMap((shard) => readdirSync(join(folder, shard))).length
  }
  /** Waits until something is so in the folder of files, or until it is too late for it. */
  const until = (isSo: () => boolean, end: Promise<unknown>) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (isSo()) finish()
      }
      const watcher = watch(join(ground.dataFolder, 'files'), { recursive: true }, look)
      const finish = () => {
        watcher.close()
        resolve()
      }
      void end.then(finish)
      look()
    })

  // Three parts of those that the server keeps at a time, or nearly.
  const content = randomBytes(40 * 2 ** 20)
  const incoming = () => {
    const folder = join(ground.dataFolder, 'files', 'incoming')
    return existsSync(folder) ? readdirSync(folder).length : 0
  }
  const kills: readonly (readonly [string, (files: number) => boolean])[] = [
    ['while the first part comes', () => incoming() > 0],
    ['after the first part, while another one comes', (files) => countFiles() > files + 1],
  ]

  /** Starts a server, works until it is to die, kills it, and waits for what was under way. */
  const killDuring = async (work: (admin: Ask) => Promise<{ readonly end: Promise<unknown> }>) => {
    const { admin, kill } = await ground.start()
    const { end } = await work(admin).finally(kill)
    await end
  }

  let path = ''
  let stood = 0
  test.each(kills)('resumes an upload at its offset when it is killed %s', (_, hasCome) =>
    killDuring(async (admin) => {
      const tus = openTus(admin)
      if (path === '') path = await tus.begin({ length: content.length, metadata: { name: 'big.bin' } })
      const offset = await tus.offset(path)
      expect(offset).toBeGreaterThanOrEqual(stood)
      stood = offset
      const files = countFiles()
      const end = tus.append(path, offset, content.subarray(offset)).catch(() => undefined)
      await until(() => hasCome(files), end)
      return { end }
    }),
  )

  const readWhole = async (admin: Ask) => {
    const layer = await createLayer(admin, { name: 'Whole', geometryType: 'POINT' })
    await admin('POST', `/api/resource/${layer}/feature/`, { geom: 'POINT(1 2)' })
    const { path: attachments } = openAttachments(admin, layer, 1)
    const upload = await (await admin('GET', path)).json()
    const { id } = await (await admin('POST', attachments, { file_upload: upload })).json<{ id: number }>()
    return Buffer.from(await (await admin('GET', `${attachments}${id}/download`)).arrayBuffer())
  }

  let photos = 0
  test('has the complete upload in the end, and is killed again during a preview', () =>
    killDuring(async (admin) => {
      const tus = openTus(admin)
      const offset = await tus.offset(path)
      expect(offset).toBeGreaterThan(0)
      expect((await tus.append(path, offset, content.subarray(offset))).status).toBe(204)
      expect((await readWhole(admin)).equals(content)).toBe(true)
      photos = await createLayer(admin, { name: 'Photos', geometryType: 'POINT' })
      await admin('POST', `/api/resource/${photos}/feature/`, { geom: 'POINT(1 2)' })
      const { attach } = openAttachments(admin, photos, 1)
      const photo = await makePhoto({ width: 3000, height: 3000 })
      const files = countFiles()
      const end = attach(photo, { name: 'a.jpg', mime_type: 'image/jpeg' }).catch(() => undefined)
      // The photo, and then its preview, which the attachment does not know yet.
      await until(() => countFiles() > files + 1, end)
      return { end }
    }))

  test('creates the preview, and eventually deletes unused files', async () => {
    const { running, admin } = await ground.inspect()
    try {
      const { list, path: attachments } = openAttachments(admin, photos, 1)
      const [picture] = await list()
      expect(picture).toMatchObject({ name: 'a.jpg', is_image: true })
      expect((await admin('GET', `${attachments}${picture?.id}/image`)).status).toBe(200)
      const answer = await admin('GET', '/api/resource/?parent=0')
      for (const { resource } of await answer.json<{ resource: { id: number } }[]>())
        expect((await admin('DELETE', `/api/resource/${resource.id}`)).status).toBe(200)
      const { database, blobs } = running.context
      for (const table of ['upload', 'partial_upload', 'blob'])
        await database.query(`update ${table} set created_at = created_at - interval '2 days'`)
      await database.query(`update kept_data set kept_at = kept_at - interval '15 days'`)
      await collectGarbage(running.context, Date.now() + 2 * 86_400_000)
      expect(await Array.fromAsync(blobs.list())).toEqual([])
      expect(incoming()).toBe(0)
    } finally {
      await running.stop()
    }
  })
})
