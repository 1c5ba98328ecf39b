import { expect, test } from 'vitest'
import { membersOf } from '../../../src/contract/bodies/bodies.ts'
import type { ErrorBody } from '../../../src/contract/bodies/error.ts'
import type { Rule } from '../../../src/contract/bodies/resource.ts'
import { annotationsOf } from '../../../src/contract/descriptor.ts'
import type { PermissionName } from '../../../src/contract/permissions.ts'
import { type Cls, clsNames } from '../../../src/contract/registry.ts'
import { createEachClass } from '../../support/each_class.ts'
import { useForeign } from '../../support/geodb.ts'
import { addUser, goodPassword } from '../../support/principals.ts'
import { rule } from '../../support/resources.ts'
import { uploadContent } from '../../support/samples.ts'
import { type Ask, describeServer, type TestResponse } from '../../support/server.ts'

const openForeign = useForeign()

type Body = Readonly<Record<string, Readonly<Record<string, unknown>>>>

interface Attribute {
  readonly cls: Cls
  readonly member: string
  readonly name: string
  readonly read: PermissionName
  readonly write: PermissionName
}

/** Every attribute that a request may carry, of every class. */
const attributes: readonly Attribute[] = clsNames.flatMap((cls) =>
  Object.entries(membersOf(cls)).flatMap(([member, { properties }]) =>
    Object.entries(properties).flatMap(([name, schema]) => {
      const words = annotationsOf(schema)
      if (words.readOnly) return []
      const { 'x-read': read = 'resource.read', 'x-write': write = 'resource.update' } = words
      return [{ cls, member, name, read, write }]
    }),
  ),
)

const points = {
  type: 'FeatureCollection',
  features: [{ type: 'Feature', properties: { b: 1 }, geometry: { type: 'Point', coordinates: [1, 2] } }],
}

/** The value of an attribute; anything where it has none. */
const attributeOf = (values: Body[string], name: string) =>
  Object.hasOwn(values, name) ? values[name] : 'any'

/** A value that is not the given one. */
function another(value: unknown): unknown {
  if (typeof value === 'string') return `${value}x`
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  if (Array.isArray(value)) return value.length === 0 ? [1] : []
  return value === null || value === undefined ? 'x' : { ...(value as object), id: 'x', x: 'x' }
}

const answerOf = async (answer: TestResponse) => {
  const { code, message, data } = await answer.json<Partial<ErrorBody>>()
  return { status: answer.status, code, message, data }
}

describeServer('an attribute', (start) => {
  /** A resource of each class in a tree that only one user besides the administrator may use. */
  const makeScene = async () => {
    const { admin, as } = await start()
    const user = await addUser(admin, 'prober')
    const foreign = await openForeign()
    const ids = await createEachClass(admin, foreign)
    const root = await (await admin('GET', '/api/resource/0')).json<{ resource: { permissions: Rule[] } }>()
    const { permissions } = root.resource
    /** Lets the user do everything but what is named. */
    const allowAllBut = async (...denied: PermissionName[]) => {
      const rules = [rule('allow', user), ...denied.map((name) => rule(`deny ${name}`, user))]
      const answer = await admin('PUT', '/api/resource/0', {
        resource: { permissions: [...permissions, ...rules] },
      })
      expect(answer.status).toBe(200)
    }
    /** Values that are set besides; no representation shows the passwords. */
    const secrets: Body = {
      geodb_connection: { password: foreign.connection.password },
      wmsclient_connection: { username: 'ann', password: 'sesame' },
    }
    for (const [cls, id] of ids) {
      const resource = { keyname: cls, description: `Secret of ${cls}` }
      const own = secrets[cls] === undefined ? {} : { [cls]: secrets[cls] }
      const body = { resource, resmeta: { items: { secret: cls } }, ...own }
      expect((await admin('PUT', `/api/resource/${id}`, body)).status, cls).toBe(200)
    }
    return { admin, prober: as('prober', goodPassword), ids, allowAllBut, secrets }
  }
  let scene: ReturnType<typeof makeScene> | undefined
  const open = () => {
    scene ??= makeScene()
    return scene
  }

  const read = async (ask: Ask, id: number) => {
    const answer = await ask('GET', `/api/resource/${id}`)
    return { body: await answer.json<Body>(), etag: answer.headers.get('etag') }
  }
  const put = (ask: Ask, id: number, { member, name }: Attribute, value: unknown) =>
    ask('PUT', `/api/resource/${id}`, { [member]: { [name]: value } })

  const mayWrite = async (ask: Ask, id: number, permission: PermissionName) => {
    const path = `/api/resource/${id}/permission`
    const held = await (await ask('GET', path)).json<Record<string, Record<string, boolean>>>()
    const [scope = '', name = ''] = permission.split('.')
    return held[scope]?.[name] === true
  }

  const refusal = ({ member, name, write }: Attribute) => {
    const [scope, permission] = write.split('.')
    return {
      status: 403,
      code: 'access/attribute',
      message: `Attribute "${member}.${name}" cannot be written without the permission ${write}.`,
      data: { scope, permission, attribute: name, serializer: member },
    }
  }

  const reading = [...new Set(attributes.map(({ read: name }) => name))].filter(
    (name) => name !== 'resource.read',
  )
  test.each(reading)(
    'that may not be read without %s is not found by writing guesses',
    async (permission) => {
      const { admin, prober, ids, allowAllBut, secrets } = await open()
      await allowAllBut(permission)
      for (const attribute of attributes.filter(({ read: name }) => name === permission)) {
        const { cls, member, name, write } = attribute
        const title = `${cls}: ${member}.${name}`
        const id = ids.get(cls) ?? 0
        const before = await read(admin, id)
        expect((await read(prober, id)).body[member], title).not.toHaveProperty(name)
        const value = attributeOf({ ...before.body[member], ...secrets[member] }, name)
        const answers = [value, another(value)].map((guess) => put(prober, id, attribute, guess))
        if (await mayWrite(prober, id, write)) {
          for (const answer of answers) expect((await answer).status, title).not.toBe(403)
          continue
        }
        for (const answer of answers) expect(await answerOf(await answer), title).toEqual(refusal(attribute))
        expect(await read(admin, id), title).toEqual(before)
      }
    },
  )

  const writing = [...new Set(attributes.map(({ write }) => write))]
  test.each(writing)('that requires %s to write is ignored if it is unchanged', async (permission) => {
    const { admin, prober, ids, allowAllBut } = await open()
    await allowAllBut(permission)
    for (const attribute of attributes.filter(({ write }) => write === permission)) {
      const { cls, member, name } = attribute
      const title = `${cls}: ${member}.${name}`
      const id = ids.get(cls) ?? 0
      const before = await read(admin, id)
      const shown = (await read(prober, id)).body[member] ?? {}
      const own = await put(prober, id, attribute, attributeOf(shown, name))
      if (Object.hasOwn(shown, name))
        expect([own.status, own.headers.get('etag')], title).toEqual([200, before.etag])
      else expect(await answerOf(own), title).toEqual(refusal(attribute))
      const other = await put(prober, id, attribute, another(shown[name]))
      if (name === 'cls') expect(other.status).toBe(422)
      else expect(await answerOf(other), title).toEqual(refusal(attribute))
      expect(await read(admin, id), title).toEqual(before)
    }
  })

  test.each(clsNames)(
    'can be sent back with all others by a user without write permission: %s',
    async (cls) => {
      const { prober, ids, allowAllBut } = await open()
      const path = `/api/resource/${ids.get(cls)}`
      await allowAllBut(...writing)
      for (const dialect of ['document', 'ngw']) {
        const headers = { 'x-api-dialect': dialect }
        const before = await prober('GET', path, undefined, headers)
        const body = await before.json<Body>()
        const answer = await prober('PUT', path, body, headers)
        expect([answer.status, answer.headers.get('etag')]).toEqual([200, before.headers.get('etag')])
        expect(await (await prober('GET', path, undefined, headers)).json()).toEqual(body)
      }
    },
  )

  test('that cannot be read is refused in every route, whatever else a request contains', async () => {
    const { admin, prober, ids, allowAllBut } = await open()
    const id = ids.get('resource_group') ?? 0
    await allowAllBut('metadata.read')
    const before = await read(admin, id)
    const description = before.body.resource?.description
    const bodies = (guess: unknown) => [
      { resource: { description: guess, display_name: 'Renamed' } },
      { resource: { description: guess, display_name: 5 } },
      { resource: { ...before.body.resource, description: guess }, resource_group: {} },
    ]
    for (const guess of [description, 'Secret of nothing'])
      for (const body of bodies(guess)) {
        const answers = [
          await prober('PUT', `/api/resource/${id}`, body),
          await prober('PUT', `/api/resource/${id}`, body, { 'if-match': before.etag ?? '' }),
          await prober('POST', '/api/component/landform/batch', { operations: [{ op: 'update', id, body }] }),
        ]
        for (const answer of answers)
          expect([answer.status, (await answer.json<ErrorBody>()).code]).toEqual([403, 'access/attribute'])
      }
    expect(await read(admin, id)).toEqual(before)
  })

  test('that cannot be written does not prevent writing the others', async () => {
    const { admin, prober, ids, allowAllBut } = await open()
    const id = ids.get('vector_layer') ?? 0
    await allowAllBut('metadata.write', 'datastruct.write')
    await admin('PUT', `/api/resource/${id}`, {
      feature_layer: { fields: [{ keyname: 'a', datatype: 'STRING' }] },
    })
    const { body } = await read(prober, id)
    const source = await uploadContent(prober, JSON.stringify(points))
    const { resource, feature_layer, resmeta } = body
    const own = { resource: { ...resource, display_name: 'Replaced' }, feature_layer, resmeta }
    const answer = await prober('PUT', `/api/resource/${id}`, { ...own, vector_layer: { source } })
    expect([answer.status, await answer.json()]).toEqual([200, expect.anything()])
    const after = (await read(prober, id)).body
    expect(after.resource).toMatchObject({ display_name: 'Replaced', description: resource?.description })
    expect(after.feature_layer?.fields).toEqual([
      expect.objectContaining({ keyname: 'b', datatype: 'INTEGER' }),
    ])
  })
})
