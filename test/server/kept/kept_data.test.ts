import { beforeAll, expect, test } from 'vitest'
import { collectGarbage } from '../../../src/server/garbage_collection.ts'
import { countKept, dropOldData } from '../../../src/store/layer/kept_data.ts'
import { rule } from '../../support/resources.ts'
import { uploadContent } from '../../support/samples.ts'
import { type Ask, describeServers, type TestServer } from '../../support/server.ts'
import { createUser, principalId, userPassword } from '../../support/users.ts'
import { geojson, point } from '../../support/vector.ts'

interface Kept {
  readonly id: number
  readonly resource: number
  readonly data_version: number
  readonly features: number
  readonly deleted: boolean
}

const names = (...all: readonly string[]) =>
  geojson(all.map((name, at) => ({ geometry: point(at, 1), properties: { name } })))

describeServers('kept data', (start) => {
  let server: TestServer
  let ada: Ask
  let bob: Ask
  beforeAll(async () => {
    server = await start()
    for (const name of ['ada', 'bob']) await createUser(server.database, name)
    ada = server.as('ada', userPassword)
    bob = server.as('bob', userPassword)
    const all = async (user: string) => rule('allow', await principalId(server.database, user))
    const permissions = [await all('ada'), await all('bob')]
    const { resource } = await (await server.admin('GET', '/api/resource/0')).json<{
      resource: { permissions: object[] }
    }>()
    const body = { resource: { permissions: [...resource.permissions, ...permissions] } }
    expect((await server.admin('PUT', '/api/resource/0', body)).status).toBe(200)
  })

  const sourceOf = async (content: string) => ({
    source: { ...(await uploadContent(server.admin, content)), name: 'data.geojson' },
  })
  /** Creates a layer whose data Ada may write, and Bob may only read; both may delete it. */
  const createLayer = async (display_name: string, content: string) => {
    const permissions = [rule('deny data.write', await principalId(server.database, 'bob'))]
    const resource = { cls: 'vector_layer', parent: { id: 0 }, display_name, permissions }
    const answer = await server.admin('POST', '/api/resource/', {
      resource,
      vector_layer: await sourceOf(content),
    })
    expect(answer.status, await answer.clone().text()).toBe(200)
    return (await answer.json<{ id: number }>()).id
  }
  const replace = async (id: number, vector_layer: object, ask: Ask = server.admin) =>
    ask('PUT', `/api/resource/${id}`, { vector_layer })
  const list = async (ask: Ask, resource: number) =>
    (await ask('GET', `/api/component/landform/kept/?resource=${resource}`)).json<Kept[]>()
  const read = async (id: number) =>
    (
      await (await server.admin('GET', `/api/resource/${id}/feature/`)).json<{ fields: { name: string } }[]>()
    ).map(({ fields }) => fields.name)
  const create = (kept: number, ask: Ask, display_name: string) =>
    ask('POST', '/api/resource/', {
      resource: { cls: 'vector_layer', parent: { id: 0 }, display_name },
      vector_layer: { source: { kept } },
    })

  test('are restored once, in their layer, by who may write its data', async () => {
    const id = await createLayer('Kept replaced', names('a', 'b'))
    const other = await createLayer('Kept other', names('z'))
    expect((await replace(id, await sourceOf(names('c')))).status).toBe(200)
    const [kept, ...more] = await list(ada, id)
    expect([kept, more]).toMatchObject([{ resource: id, data_version: 1, features: 2, deleted: false }, []])
    expect(await list(bob, id)).toEqual([])
    const source = { source: { kept: kept?.id ?? 0 } }
    expect((await replace(id, source, bob)).status).toBe(403)
    for (const refused of [
      await replace(other, source),
      await create(kept?.id ?? 0, server.admin, 'Elsewhere'),
    ]) {
      expect([refused.status, await refused.json()]).toMatchObject([422, { code: 'source/not-kept' }])
    }
    expect((await replace(id, source, ada)).status).toBe(200)
    expect(await read(id)).toEqual(['a', 'b'])
    expect((await replace(id, source, ada)).status).toBe(422)
    expect(await list(ada, id)).toMatchObject([{ data_version: 2, features: 1 }])
  })

  test('of a deleted layer are restored by administrators, and by who deleted it and could write its data', async () => {
    const first = await createLayer('Kept deleted', names('a', 'b'))
    expect((await bob('DELETE', `/api/resource/${first}`)).status).toBe(200)
    const [kept] = await list(server.admin, first)
    expect(kept).toMatchObject({ deleted: true, features: 2 })
    // Bob could not write the data, and Ada did not delete the layer.
    for (const ask of [ada, bob]) {
      expect(await list(ask, first)).toEqual([])
      expect((await create(kept?.id ?? 0, ask, 'Kept by nobody')).status).toBe(422)
    }
    const restored = await create(kept?.id ?? 0, server.admin, 'Kept restored')
    const { id } = await restored.json<{ id: number }>()
    expect(await read(id)).toEqual(['a', 'b'])

    const second = await createLayer('Kept of Ada', names('c'))
    expect((await ada('DELETE', `/api/resource/${second}`)).status).toBe(200)
    const [own] = await list(ada, second)
    expect((await create(own?.id ?? 0, ada, 'Kept again')).status).toBe(200)
  })

  test('are collected after their time, and the oldest when they exceed their size', async () => {
    const { context } = server.running
    const id = await createLayer('Kept collected', names('a'))
    for (const name of ['b', 'c', 'd']) await replace(id, await sourceOf(names(name)))
    expect(await list(server.admin, id)).toMatchObject([
      { data_version: 3 },
      { data_version: 2 },
      { data_version: 1 },
    ])
    const { bytes, layers } = await countKept(server.database)
    await server.database.transaction((tx) => dropOldData(tx, { days: 14, limitBytes: bytes - 1 }))
    expect((await countKept(server.database)).layers).toBeLessThan(layers)
    expect((await list(server.admin, id))[0]).toMatchObject({ data_version: 3 })
    await server.database.query(`update kept_data set kept_at = kept_at - interval '15 days'`)
    await collectGarbage(context)
    expect(await countKept(server.database)).toEqual({ layers: 0, bytes: 0 })
    const tables = await server.database.query<{ count: number }>(
      `select count(*)::int as count from pg_class c where relkind = 'r' and relname like 'features\\_%'
          and relnamespace = $1::regnamespace and not exists (select from layer where table_name = relname)`,
      [server.database.schema],
    )
    expect(tables).toEqual([{ count: 0 }])
  })
})
