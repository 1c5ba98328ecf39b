import { createHash, randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { expect, test } from 'vitest'
import type { ErrorBody } from '../../../src/contract/bodies/error.ts'
import type { Upload } from '../../../src/contract/bodies/resource.ts'
import { collectGarbage } from '../../../src/server/garbage_collection.ts'
import { openAttachments } from '../../support/attachments.ts'
import { createTestLayer } from '../../support/layers.ts'
import { describeServers, type TestResponse, type TestServer } from '../../support/server.ts'
import { formatMetadata, openTus, uploads } from '../../support/tus.ts'
import { createUser, userPassword } from '../../support/users.ts'

const idOf = (path: string) => path.slice(uploads.length)
const failureOf = async (answer: TestResponse) => {
  const { code } = await answer.json<ErrorBody>()
  return [answer.status, code]
}
const digestOf = (algorithm: string, content: Uint8Array | string) =>
  `${algorithm} ${createHash(algorithm).update(content).digest('base64')}`

const readContent = async ({ running, database }: TestServer, path: string) => {
  const [row] = await database.query<{ digest: string }>('select digest from upload where id = $1', [
    idOf(path),
  ])
  return Buffer.concat(await Array.fromAsync(running.context.blobs.read(row?.digest ?? '')))
}
const countRows = async ({ database }: TestServer) => {
  const [row] = await database.query<{ begun: number; parts: number }>(
    'select (select count(*)::int from partial_upload) as begun, (select count(*)::int from upload_part) as parts',
  )
  return row
}

const limitBytes = 40 * 2 ** 20

describeServers(
  'uploads in parts',
  (start) => {
    test('are like any other upload after the last part', async () => {
      const server = await start()
      const tus = openTus(server.guest)
      const content = randomBytes(300_000)
      const metadata = { filename: 'tour/été.bin', filetype: 'application/x-tour', more: '' }
      const path = await tus.begin({ length: content.length, metadata })
      expect(path).toMatch(/^\/api\/component\/file_upload\/[0-9a-f]{32}$/)
      expect(await failureOf(await server.guest('GET', path))).toEqual([422, 'upload/incomplete'])
      for (const [from, to] of [
        [0, 1],
        [1, 200_000],
        [200_000, 300_000],
      ] as const) {
        expect(await tus.offset(path)).toBe(from)
        const answer = await tus.append(path, from, content.subarray(from, to))
        expect([answer.status, answer.headers.get('upload-offset')]).toEqual([204, String(to)])
      }
      const upload = await (await server.guest('GET', path)).json<Upload>()
      const told = { name: 'été.bin', mime_type: 'application/x-tour', size: content.length }
      expect(upload).toEqual({ id: idOf(path), ...told })
      expect(await readContent(server, path)).toEqual(content)
      expect(await tus.offset(path)).toBe(content.length)
      expect(await countRows(server)).toEqual({ begun: 0, parts: 0 })
      const layer = await createTestLayer(server.database, { name: 'tours', geometryType: 'POINT' })
      await server.admin('POST', `/api/resource/${layer}/feature/`, { geom: 'POINT(1 2)' })
      const { path: attachments, list } = openAttachments(server.admin, layer, 1)
      expect((await server.admin('POST', attachments, { file_upload: upload })).status).toBe(200)
      expect(await list()).toMatchObject([{ ...told, is_image: false }])
      await server.admin('DELETE', `/api/resource/${layer}`)
    })

    test('larger than one stored piece are joined without loss', async () => {
      const server = await start()
      const tus = openTus(server.guest)
      const content = randomBytes(33 * 2 ** 20)
      const path = await tus.begin({ length: content.length })
      expect((await tus.append(path, 0, content)).status).toBe(204)
      expect((await readContent(server, path)).equals(content)).toBe(true)
    })

    test('may be empty, and may be created with their first part', async () => {
      const server = await start()
      const tus = openTus(server.guest)
      const empty = await tus.begin({ length: 0 })
      expect(await (await server.guest('GET', empty)).json()).toMatchObject({ size: 0 })
      const headers = {
        'tus-resumable': '1.0.0',
        'upload-length': '10',
        'content-type': 'application/offset+octet-stream',
      }
      const answer = await server.guest('POST', uploads, Buffer.from('hello'), headers)
      expect([answer.status, answer.headers.get('upload-offset')]).toEqual([201, '5'])
      const path = answer.headers.get('location') ?? ''
      expect((await tus.append(path, 5, 'world')).status).toBe(204)
      expect((await readContent(server, path)).toString()).toBe('helloworld')
    })

    test('keep the received bytes if the client disconnects', async () => {
      const server = await start()
      const tus = openTus(server.guest)
      const content = randomBytes(400_000)
      const path = await tus.begin({ length: content.length })
      const { promise, resolve } = Promise.withResolvers<void>()
      const sent = request(server.url + path, {
        method: 'PATCH',
        headers: {
          'tus-resumable': '1.0.0',
          'content-type': 'application/offset+octet-stream',
          'upload-offset': '0',
          'content-length': content.length,
        },
      })
      sent.once('error', () => undefined)
      sent.once('close', resolve)
      sent.write(content.subarray(0, 100_000), () => sent.destroy())
      await promise
      // The server keeps it in its own time.
      let offset = 0
      while (offset === 0) offset = await tus.offset(path)
      expect(offset).toBeLessThanOrEqual(100_000)
      expect((await tus.append(path, offset, content.subarray(offset))).status).toBe(204)
      expect(await readContent(server, path)).toEqual(content)
    })

    test('have one offset: a part at another one is 409, as is the slower of two concurrent parts', async () => {
      const server = await start()
      const tus = openTus(server.guest)
      const path = await tus.begin({ length: 10 })
      expect(await failureOf(await tus.append(path, 3, 'abc'))).toEqual([409, 'upload/offset'])
      const both = await Promise.all(['aaaaa', 'bbbbb'].map((part) => tus.append(path, 0, part)))
      expect(both.map(({ status }) => status).sort()).toEqual([204, 409])
      expect(await tus.offset(path)).toBe(5)
      await tus.append(path, 5, 'ccccc')
      expect((await readContent(server, path)).toString()).toMatch(/^(aaaaa|bbbbb)ccccc$/)
      expect((await tus.append(path, 10, '')).status).toBe(204)
      expect(await failureOf(await tus.append(path, 5, 'ccccc'))).toEqual([409, 'upload/offset'])
    })

    test('cannot exceed their length or the limit of the server', async () => {
      const server = await start()
      const tus = openTus(server.guest)
      const path = await tus.begin({ length: 10 })
      expect(await failureOf(await tus.append(path, 0, 'a'.repeat(11)))).toEqual([413, 'request/too-large'])
      const chunked = await fetch(server.url + path, {
        method: 'PATCH',
        headers: {
          'tus-resumable': '1.0.0',
          'content-type': 'application/offset+octet-stream',
          'upload-offset': '0',
        },
        body: new Blob(['a'.repeat(11)]).stream(),
        duplex: 'half',
      } as RequestInit)
      expect(chunked.status).toBe(413)
      expect(await tus.offset(path)).toBe(0)
      expect((await tus.append(path, 0, 'a'.repeat(10))).status).toBe(204)
      expect((await tus.append(path, 10, '')).status).toBe(204)
      expect(await failureOf(await tus.append(path, 10, 'b'))).toEqual([413, 'request/too-large'])
      const large = await tus.send('POST', uploads, { 'upload-length': String(limitBytes + 1) })
      expect(await failureOf(large)).toEqual([413, 'request/too-large'])
    })

    test('verify checksums of parts, and discard a part that does not match', async () => {
      const server = await start()
      const tus = openTus(server.guest)
      const path = await tus.begin({ length: 8 })
      const wrong = await tus.append(path, 0, 'abcd', { 'upload-checksum': digestOf('sha1', 'other') })
      expect(await failureOf(wrong)).toEqual([460, 'upload/checksum'])
      expect(await tus.offset(path)).toBe(0)
      for (const [at, algorithm] of ['sha1', 'sha256', 'sha512', 'md5'].entries()) {
        const part = 'abcdefgh'.slice(2 * at, 2 * at + 2)
        const headers = { 'upload-checksum': digestOf(algorithm, part) }
        expect((await tus.append(path, 2 * at, part, headers)).status).toBe(204)
      }
      expect((await readContent(server, path)).toString()).toBe('abcdefgh')
      const other = await tus.begin({ length: 8 })
      for (const header of ['crc32 AAAA', 'sha1', 'sha1 !!', 'sha1 AAAA AAAA'])
        expect(await failureOf(await tus.append(other, 0, 'abcd', { 'upload-checksum': header }))).toEqual([
          400,
          'request/bad-header',
        ])
    })

    test('are deleted on request, complete or not', async () => {
      const server = await start()
      const tus = openTus(server.guest)
      for (const length of [0, 10]) {
        const path = await tus.begin({ length })
        expect((await tus.send('DELETE', path)).status).toBe(204)
        for (const method of ['HEAD', 'DELETE']) expect((await tus.send(method, path)).status).toBe(404)
        expect(await failureOf(await tus.append(path, 0, 'a'))).toEqual([404, 'upload/not-found'])
      }
    })

    test('accept POST instead of PATCH and DELETE from clients that cannot send them', async () => {
      const server = await start()
      const tus = openTus(server.guest)
      const path = await tus.begin({ length: 5 })
      const headers = {
        'tus-resumable': '1.0.0',
        'content-type': 'application/offset+octet-stream',
        'upload-offset': '0',
      }
      const as = (method: string) => ({ ...headers, 'x-http-method-override': method })
      const sent = await server.guest('POST', path, Buffer.from('hello'), as('PATCH'))
      expect([sent.status, sent.headers.get('upload-offset')]).toEqual([204, '5'])
      expect((await readContent(server, path)).toString()).toBe('hello')
      expect((await server.guest('POST', path, undefined, as('DELETE'))).status).toBe(204)
      expect((await tus.send('HEAD', path)).status).toBe(404)
      for (const other of [headers, as('PUT')])
        expect(await failureOf(await server.guest('POST', path, undefined, other))).toEqual([
          400,
          'request/bad-header',
        ])
    })

    test('belong to their user; those of guests can be continued after signing in', async () => {
      const server = await start()
      await createUser(server.database, 'loader')
      const loader = openTus(server.as('loader', userPassword))
      const path = await loader.begin({ length: 6 })
      const others = [openTus(server.admin), openTus(server.guest)]
      for (const other of others) {
        expect(await failureOf(await other.append(path, 0, 'evil'))).toEqual([404, 'upload/not-found'])
        for (const method of ['HEAD', 'DELETE']) expect((await other.send(method, path)).status).toBe(404)
      }
      expect((await loader.append(path, 0, 'abcdef')).status).toBe(204)
      for (const other of others) {
        expect(await failureOf(await other.append(path, 6, ''))).toEqual([404, 'upload/not-found'])
        for (const method of ['HEAD', 'DELETE']) expect((await other.send(method, path)).status).toBe(404)
      }
      for (const ask of [server.admin, server.guest])
        expect(await failureOf(await ask('GET', path))).toEqual([404, 'upload/not-found'])
      expect(await loader.offset(path)).toBe(6)
      expect((await loader.send('DELETE', path)).status).toBe(204)
      const open = await openTus(server.guest).begin({ length: 1 })
      expect((await loader.append(open, 0, 'a')).status).toBe(204)
      expect((await loader.send('DELETE', open)).status).toBe(204)
    })

    test('expire after a day, and garbage collection deletes their parts', async () => {
      const server = await start()
      const { context } = server.running
      const tus = openTus(server.guest)
      const later = Date.now() + 2 * 86_400_000
      const age = () =>
        Promise.all(
          ['upload', 'partial_upload', 'blob'].map((table) =>
            server.database.query(`update ${table} set created_at = created_at - interval '2 hours'`),
          ),
        )
      const path = await tus.begin({ length: 100 })
      const answer = await tus.append(path, 0, randomBytes(50))
      const expires = Date.parse(answer.headers.get('upload-expires') ?? '')
      expect(Math.abs(expires - Date.now() - 86_400_000)).toBeLessThan(3_600_000)
      await age()
      await collectGarbage(context, later)
      expect(await tus.offset(path)).toBe(50)
      expect((await tus.append(path, 50, randomBytes(10))).status).toBe(204)
      for (let times = 0; times < 11; times++) await age()
      expect((await tus.send('HEAD', path)).status).toBe(404)
      // Without the attachments of layers that earlier tests deleted, which are kept for an undo.
      await collectGarbage({ ...context, keptDataDays: 'off' }, later)
      expect(await countRows(server)).toEqual({ begun: 0, parts: 0 })
      const kept = await server.database.query<{ digest: string }>('select digest from upload')
      expect(kept).toEqual([])
      expect(await Array.fromAsync(context.blobs.list())).toEqual([])
    })

    test('support version 1.0.0, as every response declares', async () => {
      const server = await start()
      const tus = openTus(server.guest)
      const path = await tus.begin({ length: 10, metadata: { filename: 'a b.txt', x: 'y' } })
      const head = await tus.send('HEAD', path)
      expect(Object.fromEntries(head.headers)).toMatchObject({
        'tus-resumable': '1.0.0',
        'cache-control': 'no-store',
        'upload-offset': '0',
        'upload-length': '10',
        'upload-metadata': formatMetadata({ filename: 'a b.txt', x: 'y' }),
      })
      const options = await server.guest('OPTIONS', uploads)
      expect(options.status).toBe(204)
      expect(Object.fromEntries(options.headers)).toMatchObject({
        'tus-version': '1.0.0',
        'tus-extension': 'creation,creation-with-upload,termination,checksum,expiration',
        'tus-max-size': String(limitBytes),
        'tus-checksum-algorithm': 'sha1,sha256,sha512,md5',
      })
      const other = { 'tus-resumable': '0.2.2' }
      for (const answer of [
        await tus.send('POST', uploads, { ...other, 'upload-length': '1' }),
        await tus.append(path, 0, 'a', other),
        await tus.send('DELETE', path, other),
      ]) {
        expect([answer.headers.get('tus-version'), answer.headers.get('tus-resumable')]).toEqual([
          '1.0.0',
          '1.0.0',
        ])
        expect(await failureOf(answer)).toEqual([412, 'upload/version'])
      }
      expect((await tus.send('HEAD', path, other)).status).toBe(412)
      const without = await server.guest('PATCH', path, 'a', { 'upload-offset': '0' })
      expect(await failureOf(without)).toEqual([412, 'upload/version'])
    })

    test('refuse missing and invalid headers', async () => {
      const server = await start()
      const tus = openTus(server.guest)
      const bad = [400, 'request/bad-header']
      for (const length of ['', '-1', '1.5', 'ten', '1e3', '99999999999999999999'])
        expect(await failureOf(await tus.send('POST', uploads, { 'upload-length': length })), length).toEqual(
          bad,
        )
      expect(await failureOf(await tus.send('POST', uploads, { 'upload-defer-length': '1' }))).toEqual(bad)
      for (const metadata of ['name !', 'name YQ== YQ==', 'name YQ==,name Yg==', ',', ' YQ==,'])
        expect(
          await failureOf(
            await tus.send('POST', uploads, { 'upload-length': '1', 'upload-metadata': metadata }),
          ),
          metadata,
        ).toEqual(bad)
      const path = await tus.begin({ length: 10 })
      expect(await failureOf(await tus.append(path, 0, 'a', { 'upload-offset': 'x' }))).toEqual(bad)
      const typed = await tus.append(path, 0, 'a', { 'content-type': 'text/plain' })
      expect(await failureOf(typed)).toEqual([415, 'upload/media-type'])
    })

    test('are limited to a thousand incomplete ones per user', async () => {
      const server = await start()
      const tus = openTus(server.admin)
      await server.database.query(
        `insert into partial_upload (id, length_bytes, user_id)
         select 'filler' || n, 1, (select id from principal where keyname = 'administrator' and kind = 'user')
           from generate_series(1, 999) n`,
      )
      await tus.begin({ length: 1 })
      expect(await failureOf(await tus.send('POST', uploads, { 'upload-length': '1' }))).toEqual([
        429,
        'upload/too-many',
      ])
      await openTus(server.guest).begin({ length: 1 })
    })
  },
  { uploadLimitBytes: limitBytes },
)
