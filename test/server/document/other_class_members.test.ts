import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createStyledLayer, readMember, type StyledLayer, uploadContent } from '../../support/samples.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'

let server: TestServer
let family: StyledLayer
beforeAll(async () => {
  server = await startTestServer('postgres')
  family = await createStyledLayer(server.admin)
})
afterAll(() => server.stop())

const create = (cls: string, member: object) =>
  createResource(server.admin, { cls, parent: family.group, name: cls, members: { [cls]: member } })

const read = (id: number, member: string) => readMember(server.admin, id, member)

describe('Other class members seen in responses', () => {
  test('wfsserver_service | layers: array of {maxfeatures (integer), keyname, display_name, resource_id}', async () => {
    const layer = { maxfeatures: 100, keyname: 'points', display_name: 'Points', resource_id: family.layer }
    expect(await read(await create('wfsserver_service', { layers: [layer] }), 'wfsserver_service')).toEqual({
      layers: [layer],
    })
  })

  test('wmsserver_service | layers: array of {keyname, display_name, resource_id, min_scale_denom, max_scale_denom}', async () => {
    const layer = {
      keyname: 'points',
      display_name: 'Points',
      resource_id: family.style,
      min_scale_denom: '1 : 100000',
      max_scale_denom: null,
    }
    expect(await read(await create('wmsserver_service', { layers: [layer] }), 'wmsserver_service')).toEqual({
      layers: [layer],
    })
  })

  test('lookup_table | items: object mapping key string to value string', async () => {
    const items = { a: 'A', '1': 'One' }
    expect(await read(await create('lookup_table', { items }), 'lookup_table')).toMatchObject({ items })
  })

  test('file_bucket | files: array of upload objects (id only for new files, name, mime_type, size)', async () => {
    const { id, size } = await uploadContent(server.admin, 'hello')
    const file = { name: 'hello.txt', mime_type: 'text/plain', size }
    expect(
      await read(await create('file_bucket', { files: [{ id, ...file }] }), 'file_bucket'),
    ).toMatchObject({
      files: [file],
    })
  })
})
