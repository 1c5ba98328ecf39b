import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { collectGarbage } from '../../../src/server/garbage_collection.ts'
import { type Ask, describeServers } from '../../support/server.ts'
import { allow, createResource } from '../../support/tree.ts'
import { createUser, userPassword } from '../../support/users.ts'
import { makeZip, type ZipEntry } from '../../support/zip.ts'

interface Entry {
  readonly id?: string
  readonly name?: string
  readonly mime_type?: string
  readonly size?: number
}

const upload = async (ask: Ask, content: Uint8Array | string, headers: Record<string, string> = {}) => {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  const answer = await ask('PUT', '/api/component/file_upload/', bytes, headers)
  return (await answer.json<{ id: string }>()).id
}

const create = (ask: Ask, name: string, bucket: object = {}) =>
  createResource(ask, { cls: 'file_bucket', name, members: { file_bucket: bucket } })

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const readFiles = async (ask: Ask, id: number) =>
  (await (await ask('GET', `/api/resource/${id}`)).json<{ file_bucket: { files: Entry[] } }>()).file_bucket
    .files

const put = (ask: Ask, id: number, bucket: object) =>
  ask('PUT', `/api/resource/${id}`, { file_bucket: bucket })

const pathOf = (id: number, name: string) => `/api/resource/${id}/file/${encodeURI(name)}`

const readText = async (ask: Ask, id: number, name: string) => (await ask('GET', pathOf(id, name))).text()

const zip = (ask: Ask, entries: readonly ZipEntry[]) => upload(ask, makeZip(entries))

describeServers('file buckets', (start) => {
  test('a new bucket is empty', async () => {
    const { admin } = await start()
    expect(await readFiles(admin, await create(admin, 'Empty'))).toEqual([])
  })

  test('files are listed in order with type and size, without their uploads', async () => {
    const { admin } = await start()
    const plain = await upload(admin, 'hello', { 'content-type': 'text/plain' })
    const unknown = await upload(admin, 'PDF', { 'content-disposition': 'attachment; filename="b.pdf"' })
    const id = await create(admin, 'Listed', {
      files: [
        { id: plain, name: 'docs/hello.txt', size: 99 },
        { id: unknown },
        { id: plain, name: 'again', mime_type: 'text/x-own; charset=utf-8' },
      ],
    })
    expect(await readFiles(admin, id)).toEqual([
      { name: 'docs/hello.txt', mime_type: 'text/plain', size: 5, digest: sha256('hello') },
      { name: 'b.pdf', mime_type: 'application/pdf', size: 3, digest: sha256('PDF') },
      { name: 'again', mime_type: 'text/x-own; charset=utf-8', size: 5, digest: sha256('hello') },
    ])
  })

  test('the list of an update is the complete result: kept by name, added by upload, others deleted', async () => {
    const { admin } = await start()
    const [a, b, c] = await Promise.all(['one', 'two', 'three'].map((text) => upload(admin, text)))
    const id = await create(admin, 'Resulting', {
      files: [
        { id: a, name: 'a' },
        { id: b, name: 'b' },
      ],
    })
    const files = [
      { name: 'b', mime_type: 'x/ignored', size: 0 },
      { id: c, name: 'c' },
    ]
    expect((await put(admin, id, { files })).status).toBe(200)
    expect((await readFiles(admin, id)).map(({ name, size }) => [name, size])).toEqual([
      ['b', 3],
      ['c', 5],
    ])
    expect((await admin('GET', pathOf(id, 'a'))).status).toBe(404)
    await put(admin, id, { files: [{ id: a, name: 'b' }] })
    expect(await readText(admin, id, 'b')).toBe('one')
    await admin('PUT', `/api/resource/${id}`, { resource: { description: 'x' }, file_bucket: {} })
    expect(await readFiles(admin, id)).toHaveLength(1)
    await put(admin, id, { files: [] })
    expect(await readFiles(admin, id)).toEqual([])
  })

  test('the files of an archive are added to the listed ones, with their paths', async () => {
    const { admin } = await start()
    const archive = await zip(admin, [
      { name: 'data/', content: '' },
      { name: 'data/rows.csv', content: 'a,b\n' },
      { name: 'read me.md', content: '# Hi\n' },
    ])
    const id = await create(admin, 'Archive', {
      files: [{ id: await upload(admin, 'x'), name: 'x' }],
      archive: { id: archive },
    })
    expect(await readFiles(admin, id)).toMatchObject([
      { name: 'x', mime_type: 'application/octet-stream', size: 1 },
      { name: 'data/rows.csv', mime_type: 'text/csv', size: 4 },
      { name: 'read me.md', mime_type: 'text/markdown', size: 5 },
    ])
    expect(await readText(admin, id, 'data/rows.csv')).toBe('a,b\n')
    expect((await put(admin, id, { archive: { id: archive } })).status).toBe(200)
    expect((await readFiles(admin, id)).map(({ name }) => name)).toEqual(['data/rows.csv', 'read me.md'])
  })

  test.each<[string, readonly ZipEntry[], RegExp]>([
    ['leads out of it', [{ name: '../../evil', content: 'x' }], /invalid relative path/],
    ['is absolute', [{ name: '/etc/passwd', content: 'x' }], /absolute path/],
    ['holds a link', [{ name: 'l', content: '/etc/passwd', mode: 0o120777 }], /is a link/],
    [
      'holds a name twice',
      [
        { name: 'a', content: 'x' },
        { name: 'a', content: 'y' },
      ],
      /it contains "a" twice/,
    ],
    ['is a bomb', [{ name: 'b', content: 'x', claimedSize: 2 ** 32 - 1 }], /unpacks to 4294967295 bytes/],
  ])('an archive that %s is refused, and leaves nothing behind', async (name, entries, message) => {
    const { admin } = await start()
    const archive = { id: await zip(admin, entries) }
    await expect(create(admin, name, { archive })).rejects.toThrow(message)
  })

  test('a file that is not an archive is refused as an archive', async () => {
    const { admin } = await start()
    const archive = { id: await upload(admin, 'no zip') }
    await expect(create(admin, 'No zip', { archive })).rejects.toThrow('422 cannot read the archive')
  })

  test.each<[string, readonly Entry[], string]>([
    ['a file that is not there', [{ name: 'absent' }], 'files.0.name'],
    ['neither name nor upload', [{}], 'files.0'],
    ['an upload that is not there', [{ id: '0'.repeat(32), name: 'a' }], 'upload'],
    ['an upload that cannot be', [{ id: "' or 1=1", name: 'a' }], 'upload'],
    ['a path out of the bucket', [{ id: 'UPLOAD', name: '../a' }], 'files.0.name'],
    ['an absolute path', [{ id: 'UPLOAD', name: '/a' }], 'files.0.name'],
    ['a path of another system', [{ id: 'UPLOAD', name: 'a\\b' }], 'files.0.name'],
    ['no name at all', [{ id: 'UPLOAD' }], 'files.0'],
    ['an empty name', [{ id: 'UPLOAD', name: '' }], 'files.0.name'],
    [
      'a header in the type',
      [{ id: 'UPLOAD', name: 'a', mime_type: 'text/html\r\nset-cookie: a=b' }],
      'files.0.mime_type',
    ],
    [
      'a name twice',
      [
        { id: 'UPLOAD', name: 'a' },
        { id: 'UPLOAD', name: 'a' },
      ],
      'files.1.name',
    ],
  ])('%s is refused with the location', async (name, entries, place) => {
    const { admin } = await start()
    const id = await upload(admin, 'x')
    const files = entries.map((entry) => (entry.id === 'UPLOAD' ? { ...entry, id } : entry))
    const answer = await admin('POST', '/api/resource/', {
      resource: { cls: 'file_bucket', parent: { id: 0 }, display_name: name },
      file_bucket: { files },
    })
    const message = place === 'upload' ? /there is no upload/ : new RegExp(`at \\$\\.file_bucket\\.${place}$`)
    expect([answer.status, (await answer.json<{ message: string }>()).message]).toEqual([
      422,
      expect.stringMatching(message),
    ])
  })

  test('a file is downloaded under its name, with ranges and entity tags', async () => {
    const { admin } = await start()
    const content = randomBytes(200_000)
    const name = 'Pläne/100% "north".bin'
    const id = await create(admin, 'Downloads', { files: [{ id: await upload(admin, content), name }] })
    const whole = await admin('GET', pathOf(id, name))
    expect(Buffer.from(await whole.arrayBuffer()).equals(content)).toBe(true)
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '200000',
      'accept-ranges': 'bytes',
      'content-disposition': `attachment; filename="100_ _north_.bin"; filename*=utf-8''100%25%20%22north%22.bin`,
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    })
    const etag = whole.headers.get('etag') ?? ''
    const part = await admin('GET', pathOf(id, name), undefined, { range: 'bytes=1000-1999' })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 1000-1999/200000'])
    expect(Buffer.from(await part.arrayBuffer()).equals(content.subarray(1000, 2000))).toBe(true)
    const stale = { range: 'bytes=0-9', 'if-range': '"other"' }
    expect((await admin('GET', pathOf(id, name), undefined, stale)).status).toBe(200)
    const beyond = await admin('GET', pathOf(id, name), undefined, { range: 'bytes=200000-' })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */200000'])
    const known = await admin('GET', pathOf(id, name), undefined, { 'if-none-match': etag })
    expect([known.status, await known.text()]).toEqual([304, ''])
    const head = await admin('HEAD', pathOf(id, name))
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '200000'])
  })

  test.each(['absent', '..%2f..%2fetc%2fpasswd', 'a%00b', '%', 'a'.repeat(3000)])(
    'the name %s is not found',
    async (name) => {
      const { admin } = await start()
      const id = await create(admin, `Nothing ${name}`.slice(0, 100))
      const { status } = await admin('GET', `/api/resource/${id}/file/${name}`)
      expect([400, 404]).toContain(status)
    },
  )

  test('files require data.read to list and download, and data.write to change', async () => {
    const { admin, as, database } = await start()
    const user = await createUser(database, 'clerk')
    const clerk = as('clerk', userPassword)
    const files = [{ id: await upload(admin, 'x'), name: 'x' }]
    const id = await create(admin, 'Guarded', { files })
    const root = await (await admin('GET', '/api/resource/0')).json<{ resource: { permissions: object[] } }>()
    const read = { ...allow(user, 'resource', 'read'), propagate: false }
    await admin('PUT', '/api/resource/0', {
      resource: { permissions: [...root.resource.permissions, read] },
    })
    const permit = (...words: string[]) =>
      admin('PUT', `/api/resource/${id}`, {
        resource: {
          permissions: ['resource', ...words].map((word) => {
            const [scope = '', permission = ''] = word.split('.')
            return allow(user, scope, permission)
          }),
        },
      })
    const ask = async () => [
      (await (await clerk('GET', `/api/resource/${id}`)).json<{ file_bucket: object }>()).file_bucket,
      (await clerk('GET', pathOf(id, 'x'))).status,
      (await put(clerk, id, { files: [{ name: 'x' }] })).status,
    ]
    await permit()
    expect(await ask()).toEqual([{}, 403, 403])
    const seen = { files: [expect.objectContaining({ name: 'x' })] }
    await permit('data.read')
    expect(await ask()).toEqual([seen, 200, 403])
    await permit('data.read', 'data.write')
    expect(await ask()).toEqual([seen, 200, 200])
  })

  test('content is kept while a bucket uses it, and deleted with the last one', async () => {
    const { admin, database, running } = await start()
    const id = await upload(admin, 'kept')
    const [one, other] = [
      await create(admin, 'One', { files: [{ id, name: 'a' }] }),
      await create(admin, 'Other', { files: [{ id, name: 'b' }] }),
    ]
    const age = () =>
      database.query(`with u as (update upload set created_at = created_at - interval '2 days')
        update blob set created_at = created_at - interval '2 days'`)
    const later = Date.now() + 2 * 3_600_000
    await age()
    await collectGarbage(running.context, later)
    expect((await admin('GET', `/api/component/file_upload/${id}`)).status).toBe(404)
    expect(await readText(admin, one, 'a')).toBe('kept')
    await admin('DELETE', `/api/resource/${one}`)
    await age()
    await collectGarbage(running.context, later)
    expect(await readText(admin, other, 'b')).toBe('kept')
    await put(admin, other, { files: [] })
    await age()
    expect((await collectGarbage(running.context, later)).files).toBe(1)
  })

  test('a form keeps its file, which field apps can download', async () => {
    const { admin } = await start()
    const parent = await createResource(admin, {
      cls: 'vector_layer',
      name: 'Surveyed',
      members: { vector_layer: { srs: { id: 3857 }, geometry_type: 'POINT' } },
    })
    const content = makeZip([{ name: 'form.json', content: '[]' }])
    const form = (name: string, formbuilder_form: object) =>
      createResource(admin, { cls: 'formbuilder_form', parent, name, members: { formbuilder_form } })
    const id = await form('Form', { file_upload: { id: await upload(admin, content) } })
    expect(await (await admin('GET', `/api/resource/${id}`)).json()).toMatchObject({
      formbuilder_form: { size: content.length },
    })
    const file = await admin('GET', `/api/resource/${id}/ngfp`)
    expect(file.headers.get('content-disposition')).toContain(`filename="${id}.ngfp"`)
    expect(Buffer.from(await file.arrayBuffer()).equals(content)).toBe(true)
    const empty = await form('Empty', {})
    expect((await admin('GET', `/api/resource/${empty}/ngfp`)).status).toBe(404)
    const other = await zip(admin, [{ name: 'a', content: 'x' }])
    await expect(form('Bad', { file_upload: { id: other } })).rejects.toThrow('has no form.json')
  })
})
