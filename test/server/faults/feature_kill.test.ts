import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dropOrphans } from '../../../src/import/orphaned_tables.ts'
import { collectGarbage } from '../../../src/server/garbage_collection.ts'
import type { RunningServer } from '../../../src/server/server.ts'
import { openAttachments, type WireAttachment } from '../../support/attachments.ts'
import { drivers } from '../../support/drivers.ts'
import { createServerEnvironment, type ServerEnvironment } from '../../support/killable.ts'
import { uploadContent } from '../../support/samples.ts'
import type { Ask } from '../../support/server.ts'
import { execute } from '../../support/sql.ts'
import { createLayer } from '../../support/tree.ts'
import { geojson, point } from '../../support/vector.ts'

class Refusal extends Error {}

const patched = 500
const added = 10
/** How many features each of the sources has. */
const sources = [20_000, 30_000]
/** So many answers of a cheap request are waited for before the server dies, and then,, where it can be seen, for a table that is being filled. */
const moment = 60

const contents = sources.map((count) => {
  const properties = { of: count }
  return geojson(Array.from({ length: count }, (_, at) => ({ geometry: point(at / 1000, 1), properties })))
})

describe.each(drivers)('a server on %s that is killed during feature changes', (driver) => {
  let ground: ServerEnvironment
  beforeAll(async () => {
    ground = await createServerEnvironment(driver)
  })
  afterAll(() => ground.remove())

  const json = async <T>(ask: Ask, method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await ask(method, path, body)
    if (answer.status !== 200) throw new Refusal(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer.json<T>()
  }
  /** Does one thing after the other until the server is gone; to refuse it is a fault. */
  const untilGone = async (work: (round: number) => Promise<unknown>) => {
    try {
      for (let round = 1; ; round += 1) await work(round)
    } catch (error) {
      if (error instanceof Refusal) throw error
    }
  }

  const vectorLayer = async (admin: Ask, round: number) => {
    const upload = await uploadContent(admin, contents[round % contents.length] ?? '')
    return { source: { ...upload, name: 'data.geojson' }, srs: { id: 3857 } }
  }
  let imported = 0
  const importLayer = async (admin: Ask, round: number) => {
    imported += 1
    const resource = { cls: 'vector_layer', parent: { id: 0 }, display_name: `Imported ${imported}` }
    const body = { resource, vector_layer: await vectorLayer(admin, round) }
    return (await json<{ id: number }>(admin, 'POST', '/api/resource/', body)).id
  }

  const plant = async (admin: Ask) => {
    const fields = [{ keyname: 'n', datatype: 'INTEGER' }]
    const changed = await createLayer(admin, { name: `Changed ${imported}`, geometryType: 'POINT', fields })
    await json(admin, 'PATCH', `/api/resource/${changed}/feature/`, Array(patched).fill({ fields: { n: 0 } }))
    return { changed, replaced: await importLayer(admin, 0) }
  }
  type Planted = Awaited<ReturnType<typeof plant>>

  const works: readonly ((admin: Ask, planted: Planted) => Promise<void>)[] = [
    (admin) => untilGone((round) => importLayer(admin, round)),
    (admin, { replaced }) =>
      untilGone(async (round) => {
        await json(admin, 'PUT', `/api/resource/${replaced}`, {
          vector_layer: await vectorLayer(admin, round),
        })
      }),
    (admin, { changed }) =>
      untilGone((round) => {
        const changes = Array.from({ length: patched }, (_, at) => ({ id: at + 1, fields: { n: round } }))
        const more = Array(added).fill({ geom: 'POINT(1 2)', fields: { n: round } })
        return json(admin, 'PATCH', `/api/resource/${changed}/feature/`, [...changes, ...more])
      }),
    (admin, { changed }) =>
      untilGone((round) =>
        openAttachments(admin, changed, 1).attach(`words ${round}`, { name: 'words.txt' }),
      ),
    (admin, { replaced }) =>
      untilGone(async () => {
        const answer = await admin('GET', `/api/resource/${replaced}/export?format=ESRI%20Shapefile`)
        if (answer.status !== 200) throw new Refusal(await answer.text())
        await answer.arrayBuffer()
      }),
  ]

  const checkChanged = async (admin: Ask, { changed }: Planted) => {
    const features = await json<{ fields: { n: number } }[]>(
      admin,
      'GET',
      `/api/resource/${changed}/feature/`,
    )
    const numbers = features.map(({ fields: { n } }) => n)
    const last = numbers[0] ?? 0
    expect(new Set(numbers.slice(0, patched))).toEqual(new Set([last]))
    const rounds = Array.from({ length: last }, (_, at) => Array(added).fill(at + 1))
    expect(numbers.slice(patched)).toEqual(rounds.flat())
    const { list, path } = openAttachments(admin, changed, 1)
    for (const { id, size } of (await list()) as WireAttachment[]) {
      const answer = await admin('GET', `${path}${id}/download`)
      expect([answer.status, (await answer.arrayBuffer()).byteLength]).toEqual([200, size])
    }
  }

  const checkImported = async (admin: Ask) => {
    const all = await json<{ resource: { id: number; display_name: string } }[]>(
      admin,
      'GET',
      '/api/resource/?parent=0',
    )
    for (const { resource } of all.filter((one) => one.resource.display_name.startsWith('Imported'))) {
      const count = (query: string) =>
        json<object>(admin, 'GET', `/api/resource/${resource.id}/feature_count?${query}`)
      const found = await Promise.all(sources.map((of) => count(`fld_of=${of}`)))
      expect(sources.map((of) => ({ total_count: of, filtered_count: of }))).toContainEqual(
        found.find((one) => 'filtered_count' in one && one.filtered_count !== 0),
      )
    }
    return all.map(({ resource }) => resource.id)
  }

  /** Waits until an import fills a table. The embedded database is the server's own: nobody sees it there. */
  const untilFilling = async () => {
    const { databaseUrl } = ground
    const count = async (url: string) => (await execute(url, 'select from landform.staging')).length
    while (databaseUrl !== undefined && (await count(databaseUrl)) === 0);
  }

  /** Makes sure that every table is a layer's, once those that nobody fills any more have been dropped. */
  const checkTables = async ({ context }: RunningServer) => {
    const { database } = context
    // Where others may share the database, a table has to be silent for a while first.
    await database.query(`update staging set created_at = created_at - interval '1 hour'`)
    await dropOrphans(database, context)
    const namesOf = async (text: string) =>
      (await database.query<{ name: string }>(text)).map(({ name }) => name)
    const tables = await namesOf(
      `select relname as name from pg_class
        where relnamespace = current_schema()::regnamespace and relname ~ '^features_[0-9a-f]{16}$' order by 1`,
    )
    // Replaced and deleted data are kept for an undo.
    const layers = `select table_name as name from layer where table_name is not null
                    union all select table_name from kept_data where table_name is not null order by 1`
    expect(tables).toEqual(await namesOf(layers))
    expect(await namesOf('select table_name as name from staging')).toEqual([])
  }

  test('has each change completely or not at all, and no unused tables', async () => {
    const server = await ground.start()
    const planted = await plant(server.admin)
    const working = works.map((begin) => begin(server.admin, planted))
    for (let at = 0; at < moment; at += 1) await server.admin('GET', '/healthz')
    await untilFilling()
    await server.kill()
    await Promise.all(working)
    const { running, admin } = await ground.inspect()
    try {
      expect(readdirSync(join(ground.dataFolder, 'temporary'))).toEqual([])
      await checkChanged(admin, planted)
      const ids = await checkImported(admin)
      await checkTables(running)
      for (const id of ids) await json(admin, 'DELETE', `/api/resource/${id}`)
      await checkTables(running)
      const { database, blobs } = running.context
      for (const table of ['upload', 'blob'])
        await database.query(`update ${table} set created_at = created_at - interval '2 days'`)
      await database.query(`update kept_data set kept_at = kept_at - interval '15 days'`)
      await collectGarbage(running.context, Date.now() + 2 * 86_400_000)
      expect(await Array.fromAsync(blobs.list())).toEqual([])
    } finally {
      await running.stop()
    }
  })
})
