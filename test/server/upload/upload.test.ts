import { createHash, randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ErrorBody } from '../../../src/contract/bodies/error.ts'
import type { Upload } from '../../../src/contract/bodies/resource.ts'
import { collectGarbage } from '../../../src/server/garbage_collection.ts'
import { createTestLayer } from '../../support/layers.ts'
import { describeServer, type TestServer } from '../../support/server.ts'
import { uploads } from '../../support/tus.ts'
import { createUser, userPassword } from '../../support/users.ts'

type Meta = { upload_meta: Upload[] }

const form = (...parts: (readonly [name: string, value: string | Blob, fileName?: string])[]) => {
  const made = new FormData()
  for (const [name, value, fileName] of parts) {
    if (typeof value === 'string') made.append(name, value)
    else made.append(name, value, fileName)
  }
  return made
}

const readContent = async ({ running }: TestServer, id: string) => {
  const { database, blobs } = running.context
  const [row] = await database.query<{ digest: string }>('select digest from upload where id = $1', [id])
  const chunks: Uint8Array[] = []
  for await (const chunk of blobs.read(row?.digest ?? '')) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const listFiles = async ({ dataFolder }: TestServer) =>
  (await readdir(join(dataFolder, 'files'), { recursive: true })).filter((path) => /[0-9a-f]{64}$/.test(path))

describeServer(
  'uploads',
  (start) => {
    test('a form with one file is stored byte for byte, under the name in the form', async () => {
      const server = await start()
      const content = randomBytes(300_000)
      const file = new Blob([content], { type: 'application/zip' })
      for (const path of ['/api/component/file_upload/', '/api/component/file_upload/upload']) {
        const sent = await server.guest('POST', path, form(['file', file, 'dir/a.zip'], ['name', 'b.zip']))
        expect(sent.status).toBe(200)
        const { upload_meta } = await sent.json<Meta>()
        expect(upload_meta).toEqual([
          {
            id: expect.stringMatching(/^[0-9a-f]{32}$/),
            size: 300_000,
            name: 'b.zip',
            mime_type: 'application/zip',
          },
        ])
        expect(await readContent(server, upload_meta[0]?.id ?? '')).toEqual(content)
      }
    })

    test('several files keep their order and their paths', async () => {
      const { guest } = await start()
      const files = form(
        ['files[]', new Blob(['one']), 'a/one.txt'],
        ['files[]', new Blob(['three']), 'three.txt'],
      )
      const { upload_meta } = await (await guest('POST', '/api/component/file_upload/', files)).json<Meta>()
      expect(upload_meta.map(({ name, size }) => [name, size])).toEqual([
        ['a/one.txt', 3],
        ['three.txt', 5],
      ])
    })

    test('a name cannot lead outside the folder it is written to', async () => {
      const { guest } = await start()
      const names = ['../../etc/passwd', '/a/./b.txt', String.raw`C:\maps\c.txt`, '..', '../']
      const files = form(...names.map((name) => ['files[]', new Blob(['x']), name] as const))
      const { upload_meta } = await (await guest('POST', '/api/component/file_upload/', files)).json<Meta>()
      expect(upload_meta.map(({ name }) => name)).toEqual([
        'etc/passwd',
        'a/b.txt',
        'maps/c.txt',
        undefined,
        undefined,
      ])
      const one = form(['file', new Blob(['x']), 'x'], ['name', '../y.txt'])
      const named = await (await guest('POST', '/api/component/file_upload/', one)).json<Meta>()
      expect(named.upload_meta[0]?.name).toBe('y.txt')
    })

    test('a raw body is a file, with the name in its header', async () => {
      const server = await start()
      const path = '/api/component/file_upload/'
      const bare = await (await server.guest('PUT', path, new Uint8Array([1, 2]))).json<Upload>()
      expect(bare).toEqual({ id: expect.any(String), size: 2, mime_type: 'application/octet-stream' })
      const headers = {
        'content-type': 'application/json',
        'content-disposition': `attachment; filename="x.json"; filename*=UTF-8''%C3%A4/b.json`,
      }
      const named = await (await server.guest('PUT', path, '{"not": "parsed"', headers)).json<Upload>()
      expect(named).toMatchObject({ name: 'b.json', mime_type: 'application/json', size: 16 })
      expect((await readContent(server, named.id)).toString()).toBe('{"not": "parsed"')
      const empty = await (await server.guest('PUT', path)).json<Upload>()
      expect(empty.size).toBe(0)
    })

    test('an upload can be read and deleted', async () => {
      const { guest } = await start()
      const upload = await (await guest('PUT', '/api/component/file_upload/', 'text')).json<Upload>()
      const path = `/api/component/file_upload/${upload.id}`
      expect(await (await guest('GET', path)).json()).toEqual(upload)
      expect((await guest('DELETE', path)).status).toBe(200)
      for (const method of ['GET', 'DELETE']) {
        const failure = await (await guest(method, path)).json<ErrorBody>()
        expect([failure.status_code, failure.code]).toEqual([404, 'upload/not-found'])
      }
    })

    test('an upload of a user cannot be used by another one', async () => {
      const server = await start()
      await createUser(server.database, 'loader')
      const put = await server.as('loader', userPassword)('PUT', uploads, Buffer.from('{}'))
      const { id } = await put.json<Upload>()
      const layer = await createTestLayer(server.database, { name: 'theirs', geometryType: 'POINT' })
      const features = `/api/resource/${layer}/feature/`
      await server.admin('POST', features, { geom: 'POINT(1 2)' })
      const file = { file_upload: { id } }
      const changes = { source: { id }, data_version: 1 }
      const extensions = { attachment: [file] }
      const create = (cls: string, own: object, parent = 0) =>
        [
          'POST',
          '/api/resource/',
          { resource: { cls, display_name: cls, parent: { id: parent } }, [cls]: own },
        ] as const
      const requests = [
        create('vector_layer', { source: { id } }),
        create('raster_layer', { source: { id } }),
        create('file_bucket', { files: [{ id, name: 'a' }] }),
        create('file_bucket', { archive: { id } }),
        create('formbuilder_form', file, layer),
        create('desk_vector_style', file, layer),
        ['PUT', `/api/resource/${layer}`, { vector_layer: { feature_changes: changes } }],
        [
          'POST',
          '/api/component/landform/prepared',
          { cls: 'vector_layer', vector_layer: { source: { id } } },
        ],
        ['POST', `${features}1/attachment/`, file],
        ['POST', features, { geom: 'POINT(1 2)', extensions }],
        ['PUT', `${features}1`, { extensions }],
        ['PATCH', features, [{ id: 1, extensions }]],
      ] as const
      for (const [method, path, body] of requests) {
        const answer = await server.admin(method, path, body)
        const { code } = await answer.json<ErrorBody>()
        expect([answer.status, code], `${method} ${path} ${JSON.stringify(body)}`).toEqual([
          422,
          'upload/not-found',
        ])
      }
    })

    test('a file over the limit is 413 and leaves nothing behind, for every kind of upload', async () => {
      const server = await start()
      const before = await listFiles(server)
      const large = randomBytes(1_200_000)
      const path = '/api/component/file_upload/'
      const raw = await server.guest('PUT', path, large)
      const sent = await server.guest('POST', path, form(['file', new Blob([large]), 'large']))
      for (const response of [raw, sent])
        expect([response.status, (await response.json<ErrorBody>()).code]).toEqual([413, 'request/too-large'])
      expect(await listFiles(server)).toEqual(before)
      expect((await server.guest('GET', '/healthz')).status).toBe(200)
    })

    test('files under other names in a form are ignored', async () => {
      const { guest } = await start()
      const path = '/api/component/file_upload/'
      const other = new Blob([randomBytes(300_000)])
      expect((await guest('POST', path, form(['other', other, 'a']))).status).toBe(422)
      const files = form(['other', other, 'a'], ['file', new Blob(['kept']), 'b'], ['last', other, 'c'])
      const { upload_meta } = await (await guest('POST', path, files)).json<Meta>()
      expect(upload_meta.map(({ name, size }) => [name, size])).toEqual([['b', 4]])
    })

    test('a form with too many files is refused, not truncated', async () => {
      const { guest } = await start()
      const part = '--b\r\nContent-Disposition: form-data; name="other"; filename="x"\r\n\r\nx\r\n'
      const headers = { 'content-type': 'multipart/form-data; boundary=b' }
      for (const [count, status] of [
        [10_000, 422],
        [10_001, 413],
      ] as const) {
        const body = `${part.repeat(count)}--b--\r\n`
        expect((await guest('POST', '/api/component/file_upload/', body, headers)).status).toBe(status)
      }
    })

    test('a form without a file, and an invalid form, are refused', async () => {
      const { guest } = await start()
      const path = '/api/component/file_upload/'
      expect((await guest('POST', path, form(['name', 'x']))).status).toBe(422)
      expect((await guest('POST', path, '{"file": 1}')).status).toBe(400)
      const cut = '--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nabc'
      const headers = { 'content-type': 'multipart/form-data; boundary=b' }
      expect((await guest('POST', path, cut, headers)).status).toBe(400)
      expect((await guest('POST', path, 'x', { 'content-type': 'multipart/form-data' })).status).toBe(400)
    })

    test('an upload whose client disconnects leaves nothing behind', async () => {
      const server = await start()
      const [before] = await server.database.query('select count(*)::int as count from upload')
      const files = await listFiles(server)
      const { promise, resolve } = Promise.withResolvers<void>()
      const sent = request(`${server.url}/api/component/file_upload/`, {
        method: 'PUT',
        headers: { 'content-length': 500_000 },
      })
      sent.once('error', () => undefined)
      sent.once('close', resolve)
      sent.write(randomBytes(100_000), () => sent.destroy())
      await promise
      // The next request is answered after the server has seen the end of this one.
      await server.guest('PUT', '/api/component/file_upload/', 'after')
      const [after] = await server.database.query('select count(*)::int as count from upload')
      expect(Number(after?.count) - Number(before?.count)).toBe(1)
      expect((await listFiles(server)).length - files.length).toBeLessThanOrEqual(1)
    })

    test('old uploads are deleted, and unreferenced content after its retention', async () => {
      const server = await start()
      const { context } = server.running
      const upload = await (await server.guest('PUT', '/api/component/file_upload/', 'old')).json<Upload>()
      const shared = await (await server.guest('PUT', '/api/component/file_upload/', 'kept')).json<Upload>()
      await server.guest('PUT', '/api/component/file_upload/', 'kept')
      const later = Date.now() + 2 * 60 * 60_000
      // Whatever the tests before have left without a row.
      await collectGarbage(context, later)
      expect(await collectGarbage(context, later)).toMatchObject({ uploads: 0, files: 0 })
      await server.database.query(
        "update upload set created_at = created_at - interval '25 hours' where id = any($1)",
        [[upload.id, shared.id]],
      )
      await server.database.query("update blob set created_at = created_at - interval '2 hours'")
      const digest = (text: string) => createHash('sha256').update(text).digest('hex')
      const has = async (text: string) =>
        (await listFiles(server)).some((path) => path.endsWith(digest(text)))
      expect(await collectGarbage(context, Date.now())).toMatchObject({ uploads: 2, files: 0 })
      expect([await has('old'), await has('kept')]).toEqual([true, true])
      expect(await collectGarbage(context, later)).toMatchObject({ uploads: 0 })
      expect([await has('old'), await has('kept')]).toEqual([false, true])
      expect((await server.guest('GET', `/api/component/file_upload/${upload.id}`)).status).toBe(404)
    })
  },
  { uploadLimitBytes: 1_000_000, guestUploadBytes: 20_000_000 },
)
