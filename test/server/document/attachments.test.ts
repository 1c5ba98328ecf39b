import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makePhoto, openAttachments, readPhoto } from '../../support/attachments.ts'
import { uploadContent } from '../../support/samples.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { createLayer } from '../../support/tree.ts'

let server: TestServer
let layer: number
beforeAll(async () => {
  server = await startTestServer('postgres')
  layer = await createLayer(server.admin, {
    name: 'Wells',
    geometryType: 'POINT',
    fields: [{ keyname: 'depth', datatype: 'INTEGER' }],
  })
})
afterAll(() => server.stop())

/** Makes a feature and a client of its attachments. */
const open = async () => {
  const answer = await server.admin('POST', `/api/resource/${layer}/feature/`, { geom: 'POINT(1 2)' })
  const { id } = await answer.json<{ id: number }>()
  return { id, ...openAttachments(server.admin, layer, id) }
}

describe('Feature', () => {
  test('extensions.description | string or null | feature description', async () => {
    const { feature, extensions } = await open()
    expect(await extensions()).toEqual({ description: null, attachment: null })
    await server.admin('PUT', feature, { extensions: { description: '<b>deep</b>' } })
    expect(await extensions()).toMatchObject({ description: '<b>deep</b>' })
    await server.admin('PUT', feature, { fields: { depth: 5 } })
    expect(await extensions()).toMatchObject({ description: '<b>deep</b>' })
    await server.admin('PUT', feature, { extensions: { description: null } })
    expect(await extensions()).toMatchObject({ description: null })
  })

  test('extensions.attachment | array or null | attachments: {id, name, size, mime_type, description, is_image}', async () => {
    const { attach, extensions } = await open()
    const text = await attach('some words', { name: 'a.txt', mime_type: 'text/plain', description: 'words' })
    const photo = await makePhoto()
    const picture = await attach(photo, { name: 'b.jpg', mime_type: 'image/jpeg' })
    expect(await extensions()).toEqual({
      description: null,
      attachment: [
        { id: text, name: 'a.txt', size: 10, mime_type: 'text/plain', description: 'words', is_image: false },
        {
          id: picture,
          name: 'b.jpg',
          size: photo.length,
          mime_type: 'image/jpeg',
          description: null,
          is_image: true,
        },
      ],
    })
  })
})

describe('Features', () => {
  test('POST /api/resource/<layer_id>/feature/ | body {geom (WKT), fields: {...}, extensions: {...}}', async () => {
    const upload = await uploadContent(server.admin, 'text')
    const attachment = [{ name: 'a.txt', file_upload: upload }]
    const body = { geom: 'POINT(1 2)', fields: {}, extensions: { description: 'new', attachment } }
    const answer = await server.admin('POST', `/api/resource/${layer}/feature/`, body)
    const { id } = await answer.json<{ id: number }>()
    expect(await openAttachments(server.admin, layer, id).extensions()).toMatchObject({
      description: 'new',
      attachment: [{ name: 'a.txt', size: 4 }],
    })
  })

  test('PUT /api/resource/<layer_id>/feature/<feature_id>?srs=<epsg> | body {id, geom, fields, extensions}; only changed members are needed', async () => {
    const { attach, feature, extensions } = await open()
    const id = await attach('text')
    await server.admin('PUT', feature, { geom: 'POINT(3 4)' })
    expect(await extensions()).toMatchObject({ description: null, attachment: [{ id }] })
    await server.admin('PUT', feature, { extensions: { description: 'more' } })
    expect(await extensions()).toMatchObject({ description: 'more', attachment: [{ id }] })
  })

  test('extensions | comma-separated list from description, attachments; default both; empty value returns none', async () => {
    const { attach, feature, extensions } = await open()
    await attach('text')
    await server.admin('PUT', feature, { extensions: { description: 'told' } })
    const both = await extensions()
    expect(Object.keys(both).sort()).toEqual(['attachment', 'description'])
    for (const name of ['attachments', 'attachment'])
      expect(await extensions(`?extensions=${name}`)).toEqual({ attachment: both.attachment })
    expect(await extensions('?extensions=description')).toEqual({ description: 'told' })
    expect(await extensions('?extensions=description,attachments')).toEqual(both)
    expect(await extensions('?extensions=')).toEqual({})
    const answer = await server.admin('GET', `/api/resource/${layer}/feature/?extensions=attachments`)
    const list = await answer.json<{ extensions: object }[]>()
    expect(list.map((one) => one.extensions)).toContainEqual({ attachment: both.attachment })
    expect(list.map((one) => one.extensions)).toContainEqual({ attachment: null })
  })
})

describe('Attachments', () => {
  test('POST /api/resource/<layer_id>/feature/<feature_id>/attachment/ | body {name, size, mime_type, file_upload: {id, size}} with values from an earlier upload; response {id}', async () => {
    const { path, list } = await open()
    const form = new FormData()
    form.append('file', new Blob(['a,b'], { type: 'text/csv' }), 'table.csv')
    const sent = await server.admin('POST', '/api/component/file_upload/', form)
    const { upload_meta: metas } = await sent.json<{ upload_meta: { id: string; size: number }[] }>()
    const [upload] = metas
    const body = { ...upload, id: undefined, file_upload: { id: upload?.id, size: upload?.size } }
    const answer = await server.admin('POST', path, body)
    expect(answer.status).toBe(200)
    const { id, ...others } = await answer.json<{ id: number }>()
    expect([id, others]).toEqual([expect.any(Number), {}])
    expect(await list()).toEqual([
      { id, name: 'table.csv', size: 3, mime_type: 'text/csv', description: null, is_image: false },
    ])
  })

  test('PUT .../attachment/<attachment_id> | body {name, description} (only these can change); response {id}', async () => {
    const { attach, path, list } = await open()
    const id = await attach('text', { name: 'a.txt', mime_type: 'text/plain' })
    const body = {
      name: 'b.txt',
      description: 'told',
      id: 77,
      size: 1,
      mime_type: 'text/html',
      is_image: true,
    }
    const answer = await server.admin('PUT', `${path}${id}`, body)
    expect([answer.status, await answer.json()]).toEqual([200, { id }])
    const changed = {
      id,
      name: 'b.txt',
      size: 4,
      mime_type: 'text/plain',
      description: 'told',
      is_image: false,
    }
    expect(await list()).toEqual([changed])
    await server.admin('PUT', `${path}${id}`, { description: null })
    expect(await list()).toEqual([{ ...changed, description: null }])
  })

  test('DELETE .../attachment/<attachment_id> | deletes the attachment', async () => {
    const { attach, path, list } = await open()
    const [gone, kept] = [await attach('one'), await attach('two')]
    expect((await server.admin('DELETE', `${path}${gone}`)).status).toBe(200)
    expect((await list()).map(({ id }) => id)).toEqual([kept])
    expect((await server.admin('DELETE', `${path}${gone}`)).status).toBe(404)
  })

  test('PUT /api/resource/<layer_id>/feature/<feature_id> | body {extensions: {attachment: []}} deletes all attachments; response {id}', async () => {
    const { id, attach, feature, list, extensions } = await open()
    await attach('one')
    await attach('two')
    const answer = await server.admin('PUT', feature, { extensions: { attachment: [] } })
    expect([answer.status, await answer.json()]).toEqual([200, { id }])
    expect(await list()).toEqual([])
    expect(await extensions()).toMatchObject({ attachment: null })
  })

  test('GET .../attachment/<attachment_id>/download | the file', async () => {
    const { attach, path } = await open()
    const id = await attach('every byte', { name: 'a.txt', mime_type: 'text/plain' })
    const answer = await server.admin('GET', `${path}${id}/download`)
    expect([answer.status, await answer.text()]).toEqual([200, 'every byte'])
    expect(answer.headers.get('content-type')).toBe('text/plain')
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="a.txt"/)
  })

  test('GET .../attachment/<attachment_id>/image?size=<width>x<height> | preview of an image attachment', async () => {
    const { attach, path } = await open()
    const id = await attach(await makePhoto({ width: 300, height: 200 }), { name: 'a.jpg' })
    const sizes = [
      ['', 300, 200],
      ['?size=150x150', 150, 100],
      ['?size=30x10', 15, 10],
      ['?size=1000x1000', 300, 200],
    ] as const
    for (const [query, width, height] of sizes) {
      const answer = await server.admin('GET', `${path}${id}/image${query}`)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
      expect(await readPhoto(answer)).toMatchObject({ width, height, format: 'jpeg' })
    }
    for (const size of ['big', '0x5', '10', '-1x1'])
      expect((await server.admin('GET', `${path}${id}/image?size=${size}`)).status).toBe(422)
  })

  test('Any file type can be attached', async () => {
    const { attach, list } = await open()
    const types = ['application/x-anything', 'text/html', 'image/svg+xml', 'audio/ogg; codecs=opus']
    for (const type of types) await attach('x', { name: 'x', mime_type: type })
    await attach('', { name: 'empty' })
    await attach(Buffer.from([0, 255, 0]), { name: 'bytes.zip' })
    expect((await list()).map(({ name, size, mime_type }) => [name, size, mime_type])).toEqual([
      ...types.map((type) => ['x', 1, type]),
      ['empty', 0, 'application/octet-stream'],
      ['bytes.zip', 3, 'application/zip'],
    ])
  })

  test('a preview is generated for images at upload', async () => {
    const { attach, path, list } = await open()
    const id = await attach(await makePhoto(), { name: 'a.jpg' })
    const rows = await server.database.query<{ kept: boolean }>(
      'select preview_digest is not null as kept from attachment where id = $1::int',
      [id],
    )
    expect([rows, (await list())[0]?.is_image]).toEqual([[{ kept: true }], true])
    expect((await server.admin('GET', `${path}${id}/image`)).status).toBe(200)
  })
})
