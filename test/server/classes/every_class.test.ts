import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { membersOf } from '../../../src/contract/bodies/bodies.ts'
import type { ErrorBody } from '../../../src/contract/bodies/error.ts'
import { type Cls, clsNames, descriptorOf } from '../../../src/contract/registry.ts'
import { listReferenceFields } from '../../../src/contract/schema/reference_fields.ts'
import { mapReferences } from '../../../src/contract/schema/references.ts'
import { createEachClass } from '../../support/each_class.ts'
import { useForeign } from '../../support/geodb.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

const openForeign = useForeign()

let server: TestServer
let resources: ReadonlyMap<Cls, number>
beforeAll(async () => {
  server = await startTestServer('postgres')
  resources = await createEachClass(server.admin, await openForeign())
})
afterAll(() => server.stop())

type Body = Readonly<Record<string, unknown>>

const pathOf = (cls: Cls) => `/api/resource/${resources.get(cls)}`
const read = async (cls: Cls) => (await server.admin('GET', pathOf(cls))).json<Body>()

/** Puts an id in the place of each reference in the data of a class, and tells whether there is any. */
function pointElsewhere(cls: Cls, body: Body, id: number) {
  let isPointing = false
  const { resource: _, ...own } = membersOf(cls)
  const members = Object.entries(own).map(([name, schema]) => [
    name,
    mapReferences(schema, body[name], ({ target, value }) => {
      if (target === 'principal') return value
      isPointing = true
      return typeof value === 'object' ? { id } : id
    }),
  ])
  return { isPointing, body: Object.fromEntries(members.filter(([, value]) => value !== undefined)) as Body }
}

describe('ids that do not exist', () => {
  const pointing = clsNames.filter((cls) =>
    listReferenceFields(cls).some(({ path }) => !path.startsWith('feature_layer.')),
  )
  test.each(pointing)('%s: are refused with the location of the reference', async (cls) => {
    const standing = await read(cls)
    for (const id of [-1, 999_999, 2 ** 31, 99_999_999_999, 2 ** 53]) {
      const { body } = pointElsewhere(cls, standing, id)
      const resource = { cls, parent: { id: resources.get('resource_group') }, display_name: `To ${id}` }
      for (const answer of [
        await server.admin('PUT', pathOf(cls), body),
        await server.admin('POST', '/api/resource/', { resource, ...body }),
      ]) {
        const told = await answer.json<ErrorBody>()
        expect([answer.status, told.message], `${id}`).toEqual([422, expect.stringContaining(`at $.${cls}.`)])
      }
    }
    expect(await read(cls)).toEqual(standing)
  })
})

describe('a resource of each class', () => {
  test.each(clsNames)('%s: is changed and deleted with the entity tag of its representation', async (cls) => {
    const before = await server.admin('GET', pathOf(cls))
    const tag = before.headers.get('etag') ?? 'none'
    const rename = (words: string) => ({ resource: { description: words } })
    const put = async (words: string, match: string) =>
      (await server.admin('PUT', pathOf(cls), rename(words), { 'if-match': match })).status
    expect([await put('first', tag), await put('second', tag)]).toEqual([200, 412])
    expect((await server.admin('DELETE', pathOf(cls), undefined, { 'if-match': tag })).status).toBe(412)
    const after = await server.admin('GET', pathOf(cls))
    expect(after.headers.get('etag')).not.toBe(tag)
    expect(await after.json()).toMatchObject(rename('first'))
  })

  test.each(clsNames)('%s: is not changed by unknown members', async (cls) => {
    const before = await server.admin('GET', pathOf(cls))
    const body = {
      resource: { unheard_of: 1 },
      resmeta: { unheard_of: 1 },
      [cls]: { unheard_of: 1 },
      unheard_of: {},
    }
    expect((await server.admin('PUT', pathOf(cls), body)).status).toBe(200)
    const after = await server.admin('GET', pathOf(cls))
    expect(after.headers.get('etag')).toBe(before.headers.get('etag'))
    expect(await after.json()).toEqual(await before.json())
  })

  test.each(clsNames)(
    '%s: returns permissions, explanations, volume, and the effects of a deletion',
    async (cls) => {
      const get = async (path: string) => {
        const answer = await server.admin('GET', path)
        expect(answer.status, path).toBe(200)
        return answer.json<Record<string, object>>()
      }
      const { scopes } = descriptorOf(cls)
      const rights = await get(`${pathOf(cls)}/permission`)
      expect(Object.keys(rights).sort()).toEqual([...scopes].sort())
      const reasons = await get(`${pathOf(cls)}/permission/explain`)
      expect(Object.keys(reasons).sort()).toEqual([...scopes].sort())
      expect(await get(`${pathOf(cls)}/volume`)).toEqual({ volume: expect.any(Number) })
      const taken = await get(`/api/resource/delete?resources=${resources.get(cls)}&partial=true`)
      expect(taken).toHaveProperty('affected.resources')
    },
  )

  test.each(clsNames)('%s: has a page with valid links only', async (cls) => {
    const page = await server.admin('GET', `/resource/${resources.get(cls)}`, undefined, {
      accept: 'text/html',
    })
    expect(page.status).toBe(200)
    const text = await page.text()
    expect(text).toContain(`${descriptorOf(cls).label} ${resources.get(cls)}`)
    const links = [...text.matchAll(/<a [^>]*href="([^"#]+)"/g)].map(([, address = '']) =>
      address.replaceAll('&amp;', '&'),
    )
    expect(links.length).toBeGreaterThan(2)
    for (const link of new Set(links))
      expect([link, (await server.admin('GET', link)).status]).toEqual([link, 200])
  })

  const uses = clsNames.flatMap((cls) =>
    listReferenceFields(cls).flatMap(({ path, target: { classes, onDelete } }) => {
      // Of several classes, the resource refers to the first.
      const used = classes[0] as Cls
      return path.startsWith('feature_layer.') ? [] : [{ cls, used, onDelete }]
    }),
  )
  test.each(uses)('$cls: links to the $used that it uses', async ({ cls, used }) => {
    const show = await server.admin('GET', `/resource/${resources.get(cls)}`, undefined, {
      accept: 'text/html',
    })
    expect(await show.text()).toContain(`<a href="/resource/${resources.get(used)}">`)
  })

  test.each(uses.filter(({ onDelete }) => onDelete === 'refuse'))(
    '$used: is not deleted while a $cls uses it, which is named',
    async ({ cls: user, used }) => {
      const answer = await server.admin('DELETE', pathOf(used))
      expect([answer.status, (await answer.json<ErrorBody>()).data]).toEqual([
        409,
        { referrers: [{ id: resources.get(user), target: { id: resources.get(used) } }], count: 1 },
      ])
    },
  )
})

describe('members that are stored already', () => {
  test.each(clsNames)('%s: do not raise the version of the resource', async (cls) => {
    const marked = { resmeta: { items: { note: 'one', height: 2.5 } } }
    expect((await server.admin('PUT', pathOf(cls), marked)).status).toBe(200)
    const standing = await read(cls)
    const { resource: _, ...members } = standing
    for (const sent of [standing, members, marked, { resmeta: { items: { note: 'one', missing: null } } }]) {
      expect((await server.admin('PUT', pathOf(cls), sent)).status).toBe(200)
      expect(await read(cls)).toEqual(standing)
    }
    const changed = { ...members, resmeta: { items: { note: 'two' } } }
    expect((await server.admin('PUT', pathOf(cls), changed)).status).toBe(200)
    const version = (body: Body) => (body.resource as { readonly version: number }).version
    expect(version(await read(cls))).toBe(version(standing) + 1)
  })
})
