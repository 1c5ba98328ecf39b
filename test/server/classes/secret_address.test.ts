import { expect, test } from 'vitest'
import type { ErrorBody } from '../../../src/contract/bodies/error.ts'
import { annotationsOf } from '../../../src/contract/descriptor.ts'
import { type Cls, clsNames, descriptorOf } from '../../../src/contract/registry.ts'
import { createStyledLayer } from '../../support/samples.ts'
import { type Ask, describeServer } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'

/** A member of a class with a secret, and what says where the secret is sent to. */
interface Guarded {
  readonly cls: Cls
  readonly member: string
  readonly secret: string
  readonly addresses: readonly string[]
}

const guarded: readonly Guarded[] = clsNames.flatMap((cls) =>
  Object.entries(descriptorOf(cls).members).flatMap(([member, { properties }]) => {
    const fields = Object.entries(properties)
    const marked = (word: 'x-secret' | 'x-address') =>
      fields.flatMap(([name, schema]) => (annotationsOf(schema)[word] ? [name] : []))
    return marked('x-secret').map((secret) => ({ cls, member, secret, addresses: marked('x-address') }))
  }),
)

/** Members of each class that has a secret, and another value of all of them. */
const samples: { readonly [C in Cls]?: readonly [Record<string, unknown>, Record<string, unknown>] } = {
  geodb_connection: [
    { hostname: 'db.example.org', port: 5433, database: 'gis', username: 'ann', sslmode: 'verify-full' },
    { hostname: 'thief.example.org', port: 5434, database: 'other', username: 'bob', sslmode: 'disable' },
  ],
  wmsclient_connection: [
    { url: 'https://maps.example.org/wms', username: 'ann', version: '1.3.0' },
    { url: 'https://maps.example.org/thief', username: 'bob', version: '1.1.1' },
  ],
}

test('the contract declares the address of every secret, and the test covers all of them', () => {
  expect(guarded.map(({ cls }) => cls).sort()).toEqual(Object.keys(samples).sort())
  for (const { cls, member, addresses } of guarded) {
    expect(member).toBe(cls)
    expect(addresses.length, cls).toBeGreaterThan(0)
  }
})

describeServer('the address of a stored secret', (start) => {
  const put = async (ask: Ask, id: number, member: object) => {
    const answer = await ask('PUT', `/api/resource/${id}`, member)
    const { message, hint } = await answer.json<ErrorBody>()
    return { status: answer.status, message, hint }
  }
  const refusal = ({ cls, secret }: Guarded, name: string) => ({
    status: 422,
    message: `${name} changes only together with the stored ${secret} - at $.${cls}.${secret}`,
    hint: `Send the ${secret} too: the stored one is not sent to another address.`,
  })

  test.each(guarded)('changes only together with the secret: $cls', async (one) => {
    const { cls, secret, addresses } = one
    const { admin } = await start()
    const { group: parent } = await createStyledLayer(admin)
    const [own = {}, other = {}] = samples[cls] ?? []
    const members = { [cls]: { ...own, [secret]: 'sesame' } }
    const id = await createResource(admin, { cls, parent, name: 'Stored', members })
    const read = async () => (await admin('GET', `/api/resource/${id}`)).json<Record<string, object>>()
    const before = await read()
    for (const name of addresses) {
      expect(await put(admin, id, { [cls]: { [name]: other[name] } })).toEqual(refusal(one, name))
      expect(await put(admin, id, { [cls]: { ...own, [name]: other[name] } })).toEqual(refusal(one, name))
      const batch = { operations: [{ op: 'update', id, body: { [cls]: { [name]: other[name] } } }] }
      expect((await admin('POST', '/api/component/landform/batch', batch)).status).toBe(422)
    }
    expect(await read()).toEqual(before)
    expect((await put(admin, id, { [cls]: own })).status).toBe(200)
    const others = Object.fromEntries(Object.entries(other).filter(([name]) => !addresses.includes(name)))
    expect((await put(admin, id, { [cls]: others })).status).toBe(200)
    for (const name of addresses)
      expect((await put(admin, id, { [cls]: { [name]: other[name], [secret]: 'new' } })).status).toBe(200)
    expect((await read())[cls]).toMatchObject(other)
  })

  test('changes alone if no secret is stored, or the request removes it', async () => {
    const { admin } = await start()
    const { group: parent } = await createStyledLayer(admin)
    const [own, other] = samples.wmsclient_connection ?? []
    const cls = 'wmsclient_connection'
    const bare = await createResource(admin, { cls, parent, name: 'Bare', members: { [cls]: own } })
    expect((await put(admin, bare, { [cls]: { url: other?.url } })).status).toBe(200)
    const members = { [cls]: { ...own, password: 'sesame' } }
    const id = await createResource(admin, { cls, parent, name: 'Bared', members })
    expect((await put(admin, id, { [cls]: { url: other?.url, password: null } })).status).toBe(200)
    expect((await put(admin, id, { [cls]: { url: own?.url } })).status).toBe(200)
  })
})
