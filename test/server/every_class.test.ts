import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { membersOf } from '../../src/contract/bodies.ts'
import type { ErrorBody } from '../../src/contract/error.ts'
import { mapReferences } from '../../src/contract/references.ts'
import { type Cls, clsNames } from '../../src/contract/registry.ts'
import { createEachClass } from '../support/each_class.ts'
import { useForeign } from '../support/geodb.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

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

describe('ids that no resource can have', () => {
  const pointing = [
    'webmap',
    'wmsserver_service',
    'wfsserver_service',
    'wmsclient_layer',
    'geodb_layer',
  ] as const
  test('stand in for the references of each class that has any', async () => {
    const found = await Promise.all(
      clsNames.map(async (cls) => (pointElsewhere(cls, await read(cls), 1).isPointing ? [cls] : [])),
    )
    expect(found.flat().sort()).toEqual([...pointing].sort())
  })

  test.each(pointing)('%s: are refused by the place of the reference', async (cls) => {
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
