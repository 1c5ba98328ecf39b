import { beforeAll, describe, expect, test } from 'vitest'
import { rule } from '../../support/resources.ts'
import { uploadContent } from '../../support/samples.ts'
import { type Ask, describeServers, type TestServer } from '../../support/server.ts'
import { createLayer, createResource, createStyle } from '../../support/tree.ts'
import { createUser, userPassword } from '../../support/users.ts'

interface Counts {
  readonly count: number
  readonly resources: Readonly<Record<string, number>>
}

describeServers('many resources at once', (start) => {
  let server: TestServer
  let made = 0
  let anna = 0
  let annas: Ask
  beforeAll(async () => {
    server = await start()
    anna = await createUser(server.database, 'anna')
    annas = server.as('anna', userPassword)
    const root = await (await server.admin('GET', '/api/resource/0')).json<{
      resource: { permissions: object[] }
    }>()
    const open = rule('allow resource.read', anna, { propagate: false })
    await server.admin('PUT', '/api/resource/0', {
      resource: { permissions: [...root.resource.permissions, open] },
    })
  })

  const createGroup = (parent = 0, resource: object = {}) => {
    made += 1
    return createResource(server.admin, {
      cls: 'resource_group',
      parent,
      name: `Group ${made}`,
      resource: { ...resource },
    })
  }
  const exists = async (id: number) => (await server.admin('GET', `/api/resource/${id}`)).status === 200
  const idOf = (cls: string, parent: number, members: Record<string, object> = {}) => {
    made += 1
    return createResource(server.admin, { cls, parent, name: `${cls} ${made}`, members })
  }

  describe('are deleted', () => {
    const check = async (query: string, ask = server.admin) =>
      (await ask('GET', `/api/resource/delete?${query}`)).json<{ affected: Counts; unaffected: Counts }>()
    const remove = async (query: string, ask = server.admin) => {
      const answer = await ask('POST', `/api/resource/delete?${query}`)
      return { status: answer.status, ...(await answer.json<{ code?: string }>()) }
    }

    test('with their descendants, each counted once, and only after the check', async () => {
      const group = await createGroup()
      const inner = await createGroup(group)
      const layer = await createLayer(server.admin, { name: 'L', parent: inner, geometryType: 'POINT' })
      await createStyle(server.admin, { parent: layer, name: 'S' })
      const other = await createGroup()
      const query = `resources=${group},${inner},${other}`
      expect(await check(query)).toEqual({
        affected: { count: 5, resources: { resource_group: 3, vector_layer: 1, mapsrv_style: 1 } },
        unaffected: { count: 0, resources: {} },
      })
      expect(await exists(layer)).toBe(true)
      expect(await remove(query)).toEqual({ status: 200 })
      for (const id of [group, inner, layer, other]) expect(await exists(id)).toBe(false)
    })

    test('without counting what the caller cannot read', async () => {
      const hidden = await createGroup()
      await createLayer(server.admin, { name: 'Hidden', parent: hidden, geometryType: 'POINT' })
      const nothing = { count: 0, resources: {} }
      const query = `resources=${hidden}&partial=true`
      expect(await check(query, annas)).toEqual({ affected: nothing, unaffected: nothing })
      const shown = await createGroup(0, { permissions: [rule('allow resource.read', anna)] })
      const one = { count: 1, resources: { resource_group: 1 } }
      expect((await check(`resources=${shown}&partial=true`, annas)).unaffected).toEqual(one)
    })

    test('atomically, or partially on request', async () => {
      const good = await createGroup()
      const kept = await createGroup()
      await server.admin('PUT', `/api/resource/${kept}`, { resmeta: { items: { 'landform.protect': true } } })
      const query = `resources=${good},${kept}`
      expect(await remove(query)).toMatchObject({ status: 409, code: 'resource/protected' })
      expect(await remove(`resources=${good},999999`)).toMatchObject({ status: 404 })
      expect([await exists(good), await exists(kept)]).toEqual([true, true])
      expect(await check(`${query},999999&partial=true`)).toEqual({
        affected: { count: 1, resources: { resource_group: 1 } },
        unaffected: { count: 1, resources: { resource_group: 1 } },
      })
      expect(await remove(`${query},999999&partial=true`)).toEqual({ status: 200 })
      expect([await exists(good), await exists(kept)]).toEqual([false, true])
    })

    test('together with their referrers, and not without them', async () => {
      const group = await createGroup()
      const table = await idOf('lookup_table', group)
      const field = { keyname: 'a', datatype: 'STRING', lookup_table: { id: table } }
      const layer = await createLayer(server.admin, {
        name: 'Coded',
        parent: group,
        geometryType: 'POINT',
        members: { feature_layer: { fields: [field] } },
      })
      const other = await createGroup()
      expect(await remove(`resources=${table}`)).toMatchObject({ status: 409, code: 'resource/referenced' })
      expect(await remove(`resources=${other},${table}`)).toMatchObject({ code: 'resource/referenced' })
      expect(await exists(other)).toBe(true)
      expect(await remove(`resources=${table},${layer}`)).toEqual({ status: 200 })
      expect([await exists(table), await exists(layer)]).toEqual([false, false])
    })

    test('unless a remaining resource uses them', async () => {
      const group = await createGroup()
      const table = await idOf('lookup_table', group)
      const field = { keyname: 'a', datatype: 'STRING', lookup_table: { id: table } }
      const layer = await createLayer(server.admin, {
        name: 'Kept',
        parent: group,
        geometryType: 'POINT',
        members: { feature_layer: { fields: [field] }, resmeta: { items: { 'landform.protect': true } } },
      })
      expect(await remove(`resources=${table},${layer}&partial=true`)).toEqual({ status: 200 })
      expect([await exists(table), await exists(layer)]).toEqual([true, true])
    })

    test('only by callers who may delete each of them', async () => {
      const open = await createGroup(0, { permissions: [rule('allow resource', anna)] })
      const inner = await createGroup(open)
      const closed = await createGroup(open, { permissions: [rule('deny resource.delete', anna)] })
      expect(await remove(`resources=${inner},${closed}`, annas)).toMatchObject({
        status: 403,
        code: 'access/denied',
      })
      expect(await check(`resources=${inner},${closed}&partial=yes`, annas)).toMatchObject({
        affected: { count: 1 },
        unaffected: { count: 1 },
      })
      expect(await remove(`resources=${inner}`, annas)).toEqual({ status: 200 })
      expect(await remove('resources=0')).toMatchObject({ status: 422, code: 'resource/hierarchy' })
      expect(await remove('resources=')).toEqual({ status: 200 })
    })
  })

  describe('have volumes', () => {
    const volumeOf = async (id: number, query = '', ask = server.admin) => {
      const answer = await ask('GET', `/api/resource/${id}/volume${query}`)
      expect(answer.status).toBe(200)
      return (await answer.json<{ volume: number }>()).volume
    }

    test('of their files and features, also with their descendants', async () => {
      const group = await createGroup()
      const files = [{ ...(await uploadContent(server.admin, 'x'.repeat(1000))), name: 'a.txt' }]
      const bucket = await idOf('file_bucket', group, { file_bucket: { files } })
      const layer = await createLayer(server.admin, { name: 'V', parent: group, geometryType: 'POINT' })
      expect([await volumeOf(group), await volumeOf(bucket), await volumeOf(layer)]).toEqual([0, 1000, 0])
      await server.admin('POST', `/api/resource/${layer}/feature/`, { geom: 'POINT (1 2)', fields: {} })
      const features = await volumeOf(layer)
      expect(features).toBeGreaterThan(8000)
      expect(await volumeOf(group, '?recursive=true')).toBe(features + 1000)
      expect(await volumeOf(group, '?recursive=false')).toBe(0)
    })

    test('without resources that the caller cannot read', async () => {
      const read = rule('allow resource.read', anna)
      const group = await createGroup(0, { permissions: [read] })
      const files = [{ ...(await uploadContent(server.admin, 'y'.repeat(500))), name: 'a.txt' }]
      const bucket = await idOf('file_bucket', group, { file_bucket: { files } })
      // Not even how much there is.
      expect(await volumeOf(group, '?recursive=true', annas)).toBe(0)
      expect(await volumeOf(bucket, '', annas)).toBe(0)
      const both = { resource: { permissions: [read, rule('allow data.read', anna)] } }
      await server.admin('PUT', `/api/resource/${group}`, both)
      expect(await volumeOf(group, '?recursive=true', annas)).toBe(500)
      const permissions = [rule('deny resource.read', anna)]
      await server.admin('PUT', `/api/resource/${bucket}`, { resource: { permissions } })
      expect(await volumeOf(group, '?recursive=true', annas)).toBe(0)
      expect((await annas('GET', `/api/resource/${bucket}/volume`)).status).toBe(403)
    })
  })

  describe('have contents', () => {
    const contentsOf = async (resources: readonly number[], ask = server.admin) => {
      const answer = await ask('POST', '/api/component/landform/contents', { resources })
      return (
        await answer.json<
          {
            id: number
            attachments?: number
            bytes?: number
            changed: string
            user: string
            data_changed?: string
          }[]
        >()
      ).map(({ changed, ...rest }) => ({ ...rest, changed: Date.parse(`${changed}Z`) > 0 }))
    }
    const all = ['resource.read', 'resource.update', 'data.read', 'data.write']

    test('with the last writer of the resource or its data, without what the caller cannot read', async () => {
      const permissions = all.map((permission) => rule(`allow ${permission}`, anna))
      const layer = await createLayer(server.admin, {
        name: 'C',
        parent: await createGroup(),
        geometryType: 'POINT',
      })
      const path = `/api/resource/${layer}`
      const created = { id: layer, attachments: 0, bytes: 0, changed: true, user: 'administrator' }
      expect(await contentsOf([layer, 999_999])).toEqual([created])
      expect(await contentsOf([layer], annas)).toEqual([])
      const parent = (
        await (await server.admin('GET', path)).json<{ resource: { parent: { id: number } } }>()
      ).resource.parent.id
      await server.admin('PUT', `/api/resource/${parent}`, { resource: { permissions } })
      await annas('POST', `${path}/feature/`, { geom: 'POINT (1 2)', fields: {} })
      const [written] = await contentsOf([layer], annas)
      expect(written).toMatchObject({ attachments: 0, user: 'anna', data_user: 'anna' })
      expect(written?.bytes).toBeGreaterThan(8000)
      await server.admin('PUT', path, { resource: { description: 'Places' } })
      expect(await contentsOf([layer])).toMatchObject([{ user: 'administrator', data_user: 'anna' }])
      // A write without a change is none.
      await annas('PUT', `${path}/feature/1`, {})
      expect(await contentsOf([layer])).toMatchObject([{ user: 'administrator' }])
      const { id } = await uploadContent(annas, 'photo')
      const attached = await annas('POST', `${path}/feature/1/attachment/`, {
        name: 'a.txt',
        file_upload: { id },
      })
      expect(attached.status).toBe(200)
      expect(await contentsOf([layer])).toMatchObject([{ attachments: 1, user: 'anna' }])
      const readOnly = [rule('allow resource.read', anna)]
      await server.admin('PUT', `/api/resource/${parent}`, { resource: { permissions: readOnly } })
      expect(await contentsOf([layer], annas)).toEqual([{ id: layer, changed: true, user: 'anna' }])
    })
  })

  describe('have attributes', () => {
    const ask = async (resources: unknown, attributes: string[][], as = server.admin) => {
      const answer = await as('POST', '/api/component/resource/attr', { resources, attributes })
      return { status: answer.status, ...(await answer.json<{ items: unknown[]; message: string }>()) }
    }

    test('in order, from representations and computed', async () => {
      const group = await createGroup()
      const layer = await createLayer(server.admin, { name: 'A', parent: group, geometryType: 'POINT' })
      const attributes = [
        ['resource.cls'],
        ['vector_layer.geometry_type'],
        ['resource.parents'],
        ['resource.has_permission', 'resource.read'],
        ['resource.is_deletable'],
      ]
      const { items } = await ask([layer, group, 0], attributes)
      expect(items).toEqual([
        [
          layer,
          [
            [0, 'vector_layer'],
            [0, 'POINT'],
            [0, [0, group]],
            [0, true],
            [0, true],
          ],
        ],
        [group, [[0, 'resource_group'], [1], [0, [0]], [0, true], [0, true]]],
        [0, [[0, 'resource_group'], [1], [0, []], [0, true], [0, false]]],
      ])
    })

    test('for the allowed child classes, in the requested dialect', async () => {
      const layer = await createLayer(server.admin, { name: 'Children', geometryType: 'POINT' })
      const answer = await server.admin(
        'POST',
        '/api/component/resource/attr',
        { resources: [layer], attributes: [['resource.children_creatable']] },
        { 'x-api-dialect': 'ngw' },
      )
      const { items } = await answer.json<{ items: [number, [0, string[]][]][] }>()
      expect(items[0]?.[1][0]?.[1]).toEqual(
        expect.arrayContaining(['mapserver_style', 'qgis_vector_style', 'formbuilder_form']),
      )
      const open = await createGroup(0, { permissions: [rule('allow resource.read', anna)] })
      expect((await ask([open], [['resource.children_creatable']], annas)).items).toEqual([[open, [[0, []]]]])
    })

    test('for the results of a search, without hidden ones', async () => {
      const group = await createGroup(0, { permissions: [rule('allow resource.read', anna)] })
      const hidden = await createGroup(group, { permissions: [rule('deny resource.read', anna)] })
      const found = await ask({ type: 'search', root: group }, [['resource.id']], annas)
      expect(found.items).toEqual([[group, [[0, group]]]])
      expect((await ask([hidden, 999_999], [['resource.id']], annas)).items).toEqual([
        [hidden, [[1]]],
        [999_999, [[1]]],
      ])
    })

    test('and unknown ones are refused by name', async () => {
      expect(await ask([0], [['resource.nonsense']])).toMatchObject({
        status: 422,
        message: expect.stringContaining('resource.nonsense'),
      })
      expect(await ask([0], [['resource.has_permission', 'data.eat']])).toMatchObject({
        status: 422,
        message: expect.stringContaining('data.eat'),
      })
    })
  })

  test('whether a resource alone can be deleted, whatever is deleted with it', async () => {
    const group = await createGroup()
    const table = await idOf('lookup_table', group)
    const field = { keyname: 'a', datatype: 'STRING', lookup_table: { id: table } }
    const layer = await createLayer(server.admin, {
      name: 'Uses',
      parent: group,
      geometryType: 'POINT',
      members: { feature_layer: { fields: [field] } },
    })
    const answer = await server.admin('POST', '/api/component/resource/attr', {
      resources: [table, layer, group],
      attributes: [['resource.is_deletable']],
    })
    expect(await answer.json()).toEqual({
      items: [
        [table, [[0, false]]],
        [layer, [[0, true]]],
        [group, [[0, true]]],
      ],
    })
  })

  test('the blueprint lists classes and scopes, and the quota is unlimited', async () => {
    const blueprint = await (await server.guest('GET', '/api/component/resource/blueprint')).json<{
      resources: Record<string, object>
      scopes: Record<string, object>
    }>()
    expect(blueprint.resources.vector_layer).toMatchObject({
      identity: 'vector_layer',
      base_classes: ['resource'],
      interfaces: expect.arrayContaining(['IFeatureLayer']),
      scopes: ['resource', 'datastruct', 'data', 'metadata'],
    })
    expect(Object.keys(blueprint.scopes)).toHaveLength(7)
    const quota = await server.admin('POST', '/api/component/resource/check_quota', { vector_layer: 3 })
    expect(await quota.json()).toEqual({ success: true })
    const unknown = await server.admin('POST', '/api/component/resource/check_quota', { nonsense: 3 })
    expect([unknown.status, (await unknown.json<{ message: string }>()).message]).toEqual([
      422,
      'unknown class "nonsense" - at $.nonsense',
    ])
    const mine = await (await annas('GET', '/api/resource/quota')).json<{ count: number }>()
    const all = await (await server.admin('GET', '/api/resource/quota')).json<{ count: number }>()
    expect(mine).toMatchObject({ limit: null })
    expect(mine.count).toBeLessThan(all.count)
  })
})
