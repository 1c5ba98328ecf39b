import { expect, test } from 'vitest'
import type { Representation } from '../../../src/contract/bodies/bodies.ts'
import type { ErrorBody } from '../../../src/contract/bodies/error.ts'
import type { ExtendedFeature } from '../../../src/core/extensions_digest.ts'
import { createTestLayer } from '../../support/layers.ts'
import { uploadContent } from '../../support/samples.ts'
import { describeServers, type TestServer } from '../../support/server.ts'

interface Listed extends ExtendedFeature {
  readonly key?: string | null
  readonly same?: number
}

async function open({ admin, database }: TestServer, name = 'keyed') {
  const fields = { code: 'STRING', number: 'BIGINT' } as const
  const layer = await createTestLayer(database, { name, geometryType: 'POINT', fields })
  const rows = [
    { code: 'NO', number: '9007199254740993' },
    { code: 'SE', number: '2' },
    { code: 'SE', number: '3' },
    { code: null, number: '4' },
  ]
  const list = rows.map((row) => ({ geom: 'POINT(1 2)', fields: row }))
  await admin('PATCH', `/api/resource/${layer}/feature/`, list)
  const write = async (body: object) => {
    const answer = await admin('PUT', `/api/resource/${layer}`, {
      vector_layer: { feature_extensions: body },
    })
    return answer.status === 200 ? undefined : (await answer.json<ErrorBody>()).message
  }
  const read = async (query = '') =>
    (await admin('GET', `/api/resource/${layer}/feature_extensions${query}`)).json<Listed[]>()
  return { layer, write, read }
}

describeServers('descriptions and attachments by key of feature', (start) => {
  test('are written, kept by id, removed and listed, all or none of them', async () => {
    const server = await start()
    const { layer, write, read } = await open(server)
    const { id } = await uploadContent(server.admin, 'plan')
    const file = { name: 'plan.pdf', file_upload: { id } }
    const first = { key: '9007199254740993', description: 'Large', attachment: [file] }
    expect(await write({ key: 'number', items: [first, { key: '4', description: 'Four' }] })).toBeUndefined()
    const [large, four] = await read('?key=number')
    expect(large).toMatchObject({ key: first.key, same: 1, id: 1, description: 'Large' })
    expect(large?.attachments).toMatchObject([{ name: 'plan.pdf', size: 4 }])
    expect(four).toMatchObject({ key: '4', same: 1, id: 4, description: 'Four', attachments: [] })
    expect((await read('?key=code')).map(({ key, same }) => [key, same])).toEqual([
      ['NO', 1],
      [null, 1],
    ])
    expect(Object.keys((await read())[0] ?? {})).toEqual(['id', 'description', 'attachments'])
    expect((await server.admin('GET', `/api/resource/${layer}/feature_extensions?key=x`)).status).toBe(422)

    const kept = {
      key: 'NO',
      description: null,
      attachment: [{ id: large?.attachments[0]?.id, name: 'a.pdf' }],
    }
    const refused: [object, string][] = [
      [{ key: 'code', items: [kept, { key: 'SE', description: 'Two' }] }, '2 features have code = "SE"'],
      [{ key: 'code', items: [kept, { key: 'DK', description: 'x' }] }, 'no feature has code = "DK"'],
      [{ key: 'cod', items: [kept] }, 'the layer has no field "cod"'],
      [{ key: 'number', items: [{ ...kept, key: '4' }] }, 'feature 4 has no attachment'],
    ]
    for (const [body, message] of refused) expect(await write(body)).toContain(message)
    expect(await read('?key=number')).toEqual([large, four])

    const gone = { key: 'DK', description: null, attachment: [] }
    expect(await write({ key: 'code', items: [kept, gone] })).toBeUndefined()
    expect((await read()).map(({ description, attachments }) => [description, attachments[0]?.name])).toEqual(
      [
        [null, 'a.pdf'],
        ['Four', undefined],
      ],
    )
    const again = {
      key: 'code',
      clear: ['description', 'attachment'],
      items: [{ key: 'NO', description: 'New' }],
    }
    expect(await write(again)).toBeUndefined()
    expect(await read('?key=code')).toMatchObject([{ key: 'NO', description: 'New', attachments: [] }])
  })

  test('have a version that each of their changes increments, and that a request can require', async () => {
    const server = await start()
    const { admin } = server
    const { layer, read } = await open(server, 'versioned')
    const path = `/api/resource/${layer}`
    const { id } = await uploadContent(admin, 'plan')
    const file = { name: 'plan.pdf', file_upload: { id } }
    const attached = `${path}/feature/1/attachment/`
    const own = async () => {
      const { vector_layer: read } = await (await admin('GET', path)).json<Representation<'vector_layer'>>()
      return [read?.extensions_version ?? -1, read?.data_version ?? -1] as const
    }
    const write = (body: object) => admin('PUT', path, { vector_layer: body })
    const keyed = (more: object) => write({ feature_extensions: { key: 'number', items: [], ...more } })
    const changes: readonly (() => Promise<{ readonly status: number }>)[] = [
      () => admin('POST', attached, file),
      async () => admin('PUT', `${attached}${(await read())[0]?.attachments[0]?.id}`, { name: 'a.pdf' }),
      async () => admin('DELETE', `${attached}${(await read())[0]?.attachments[0]?.id}`),
      () => admin('PUT', `${path}/feature/1`, { extensions: { description: 'One', attachment: [file] } }),
      () => admin('PATCH', `${path}/feature/`, [{ id: 1, extensions: { attachment: [] } }]),
      () => keyed({ items: [{ key: '2', description: 'Two' }] }),
      () => keyed({ clear: ['description'] }),
    ]
    let [before] = await own()
    const [, data] = await own()
    for (const change of changes) {
      expect((await change()).status).toBe(200)
      const [after] = await own()
      expect([after > before, before]).toEqual([true, before])
      before = after
    }
    // Nothing changes.
    expect((await keyed({ clear: ['description', 'attachment'] })).status).toBe(200)
    expect(await own()).toEqual([before, data])

    const extensions = { key: 'number', items: [{ key: '2', description: 'Zwei' }] }
    const based = { if_extensions_version: before, feature_extensions: extensions }
    expect((await write(based)).status).toBe(200)
    const refused = await write(based)
    expect([refused.status, (await refused.json<ErrorBody>()).message]).toEqual([
      412,
      `The descriptions and attachments of features of resource id = ${layer} have version ${before + 1}, not ${before}.`,
    ])
    expect((await write({ if_extensions_version: before, delete_all_features: true })).status).toBe(412)
    expect(await read()).toMatchObject([{ description: 'Zwei' }])
  })
})
