import { createHash } from 'node:crypto'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import type { ErrorBody } from '../../../src/contract/bodies/error.ts'
import { collectGarbage } from '../../../src/server/garbage_collection.ts'
import { makePhoto, openAttachments, readPhoto } from '../../support/attachments.ts'
import { createTestLayer, publishLayer } from '../../support/layers.ts'
import { uploadContent } from '../../support/samples.ts'
import { describeServer, describeServers, type TestServer } from '../../support/server.ts'

let layers = 0

/** Makes a layer of one feature and a client of its attachments. */
async function open(server: TestServer) {
  layers += 1
  const layer = await createTestLayer(server.database, { name: `photos ${layers}`, geometryType: 'POINT' })
  const features = `/api/resource/${layer}/feature/`
  await server.admin('POST', features, { geom: 'POINT(1 2)' })
  const client = openAttachments(server.admin, layer, 1)
  const refuse = async (method: string, path: string, body?: unknown) => {
    const answer = await server.admin(method, path, body)
    const { code, message } = await answer.json<ErrorBody>()
    return { status: answer.status, code, message }
  }
  return { layer, features, refuse, ...client }
}

const countRows = async ({ database }: TestServer, layer: number) => {
  const [row] = await database.query<{ attached: number; described: number }>(
    `select (select count(*)::int from attachment where layer_id = $1::int) as attached,
            (select count(*)::int from feature_description where layer_id = $1::int) as described`,
    [layer],
  )
  return row
}

describeServer('previews', (start) => {
  test('are upright whatever the orientation of the camera, and contain no metadata', async () => {
    const server = await start()
    const { attach, path } = await open(server)
    const photo = await makePhoto({ width: 60, height: 40, orientation: 6 })
    const id = await attach(photo, { name: 'held.jpg' })
    for (const query of ['', '?size=30x30']) {
      const answer = await server.admin('GET', `${path}${id}/image${query}`)
      const { width, height, exif } = await readPhoto(answer)
      expect([Number(width) < Number(height), exif]).toEqual([true, undefined])
    }
    const whole = await server.admin('GET', `${path}${id}/download`)
    expect(Buffer.from(await whole.arrayBuffer())).toEqual(photo)
  })

  test('are created from every image format of the web, with transparency', async () => {
    const server = await start()
    const { attach, path, list } = await open(server)
    const picture = sharp({ create: { width: 30, height: 20, channels: 4, background: '#ff000080' } })
    for (const format of ['png', 'webp', 'gif', 'avif'] as const) {
      const id = await attach(await picture.toFormat(format).toBuffer(), { name: `a.${format}` })
      const answer = await server.admin('GET', `${path}${id}/image`)
      expect(answer.headers.get('content-type')).toBe('image/png')
      expect(await readPhoto(answer)).toMatchObject({ width: 30, height: 20, hasAlpha: true })
    }
    const id = await attach(await picture.flatten().tiff().toBuffer(), { name: 'a.tif' })
    expect(await readPhoto(await server.admin('GET', `${path}${id}/image`))).toMatchObject({ format: 'jpeg' })
    expect((await list()).map(({ is_image }) => is_image)).toEqual([true, true, true, true, true])
  })

  test('are never larger than the image, or than 2048 pixels', async () => {
    const server = await start()
    const { attach, path } = await open(server)
    const id = await attach(await makePhoto({ width: 4096, height: 1024 }), { name: 'wide.jpg' })
    for (const query of ['', '?size=9999x9999'])
      expect(await readPhoto(await server.admin('GET', `${path}${id}/image${query}`))).toMatchObject({
        width: 2048,
        height: 512,
      })
  })

  test('are the only missing part of a file that is not really an image', async () => {
    const server = await start()
    const { attach, path, list, refuse } = await open(server)
    const photo = await makePhoto({ width: 500, height: 500 })
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'
    const bomb = await sharp({ create: { width: 16_000, height: 7000, channels: 3, background: 'black' } })
      .png()
      .toBuffer()
    const contents = [photo.subarray(0, photo.length / 2), 'no picture', '', svg, bomb]
    for (const content of contents) {
      const id = await attach(content, { name: 'a.jpg', mime_type: 'image/jpeg' })
      expect(await refuse('GET', `${path}${id}/image`)).toMatchObject({
        status: 404,
        code: 'attachment/no-preview',
      })
      expect((await server.admin('GET', `${path}${id}/download`)).status).toBe(200)
    }
    expect((await list()).map(({ is_image }) => is_image)).toEqual(contents.map(() => false))
  })

  test('have an entity tag for image and size', async () => {
    const server = await start()
    const { attach, path } = await open(server)
    const id = await attach(await makePhoto(), { name: 'a.jpg' })
    const image = `${path}${id}/image?size=20x20`
    const first = await server.admin('GET', image)
    const etag = first.headers.get('etag') ?? ''
    expect(first.headers.get('cache-control')).toBe('private, no-cache')
    const again = await server.admin('GET', image, undefined, { 'if-none-match': etag })
    expect([again.status, (await again.arrayBuffer()).byteLength]).toEqual([304, 0])
    const other = await server.admin('GET', `${path}${id}/image?size=30x30`, undefined, {
      'if-none-match': etag,
    })
    expect(other.status).toBe(200)
  })
})

describeServers('attachments', (start) => {
  test('are sent with ranges and entity tags, and never displayed as a page of the server', async () => {
    const server = await start()
    const { attach, path } = await open(server)
    const name = 'résumé "x" 100%.html'
    const id = await attach('<script>0</script>', { name, mime_type: 'text/html' })
    const get = (headers: Record<string, string> = {}) =>
      server.admin('GET', `${path}${id}/download`, undefined, headers)
    const whole = await get()
    const etag = `"${createHash('sha256').update('<script>0</script>').digest('hex')}"`
    expect(whole.headers.get('etag')).toBe(etag)
    expect(whole.headers.get('x-content-type-options')).toBe('nosniff')
    expect(whole.headers.get('content-security-policy')).toContain('sandbox')
    expect(whole.headers.get('content-disposition')).toBe(
      `attachment; filename="r_sum_ _x_ 100_.html"; filename*=utf-8''${encodeURIComponent(name)}`,
    )
    const part = await get({ range: 'bytes=1-6' })
    expect([part.status, await part.text(), part.headers.get('content-range')]).toEqual([
      206,
      'script',
      'bytes 1-6/18',
    ])
    expect((await get({ range: 'bytes=99-' })).status).toBe(416)
    expect((await get({ 'if-none-match': etag })).status).toBe(304)
    const head = await server.admin('HEAD', `${path}${id}/download`)
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '18'])
  })

  test('are deleted with their feature, with all features, and with their layer', async () => {
    const server = await start()
    const { layer, features, attach, feature } = await open(server)
    const fill = async () => {
      const [made] = await (await server.admin('PATCH', features, [{ geom: 'POINT(1 2)' }])).json<
        { id: number }[]
      >()
      const at = openAttachments(server.admin, layer, made?.id ?? 0)
      await at.attach('text')
      await server.admin('PUT', at.feature, { extensions: { description: 'told' } })
      return { id: made?.id ?? 0, path: at.feature }
    }
    await attach('stays')
    await server.admin('DELETE', (await fill()).path)
    await server.admin('DELETE', features, [{ id: (await fill()).id }])
    await server.admin('PATCH', features, [{ id: (await fill()).id, delete: true }])
    const last = await fill()
    const change = { id: last.id, extensions: { description: 'lost' } }
    await server.admin('PATCH', features, [change, { id: last.id, delete: true }])
    expect(await countRows(server, layer)).toEqual({ attached: 1, described: 0 })
    expect((await server.admin('GET', feature)).status).toBe(200)
    await fill()
    await server.admin('DELETE', features)
    expect(await countRows(server, layer)).toEqual({ attached: 0, described: 0 })
    await fill()
    await server.admin('PUT', `/api/resource/${layer}`, { vector_layer: { delete_all_features: true } })
    expect(await countRows(server, layer)).toEqual({ attached: 0, described: 0 })
    await fill()
    await server.admin('DELETE', `/api/resource/${layer}`)
    expect(await countRows(server, layer)).toEqual({ attached: 0, described: 0 })
  })

  test('are deleted when the data of the layer are replaced', async () => {
    const server = await start()
    const { layer, attach } = await open(server)
    await attach('text')
    const geometry = { type: 'Point', coordinates: [1, 2] }
    const content = JSON.stringify({ type: 'Feature', properties: {}, geometry })
    const source = { ...(await uploadContent(server.admin, content)), name: 'point.geojson' }
    const answer = await server.admin('PUT', `/api/resource/${layer}`, { vector_layer: { source } })
    expect(answer.status, await answer.text()).toBe(200)
    expect(await countRows(server, layer)).toEqual({ attached: 0, described: 0 })
  })

  test('are kept by features that are loaded again with the ids of the source', async () => {
    const server = await start()
    const { layer, features, attach } = await open(server)
    const kept = await attach('kept')
    await server.admin('POST', features, { geom: 'POINT(1 2)' })
    const other = openAttachments(server.admin, layer, 2)
    await other.attach('lost')
    for (const { feature } of [openAttachments(server.admin, layer, 1), other])
      await server.admin('PUT', feature, { extensions: { description: 'told' } })
    const geometry = { type: 'Point', coordinates: [1, 2] }
    const made = [1, 7].map((code) => ({ type: 'Feature', properties: { code }, geometry }))
    const content = JSON.stringify({ type: 'FeatureCollection', features: made })
    const source = { ...(await uploadContent(server.admin, content)), name: 'points.geojson' }
    const own = { source, fid_source: 'FIELD', fid_field: 'code' }
    const answer = await server.admin('PUT', `/api/resource/${layer}`, { vector_layer: own })
    expect(answer.status, await answer.text()).toBe(200)
    expect(await countRows(server, layer)).toEqual({ attached: 1, described: 1 })
    expect(await openAttachments(server.admin, layer, 1).extensions()).toMatchObject({
      description: 'told',
      attachment: [{ id: kept }],
    })
    expect(await openAttachments(server.admin, layer, 7).extensions()).toEqual({
      description: null,
      attachment: null,
    })
  })

  test('protect their content and preview from garbage collection as long as they exist', async () => {
    const server = await start()
    const { attach, path } = await open(server)
    const id = await attach(await makePhoto({ width: 99, height: 77 }), { name: 'a.jpg' })
    const age = () =>
      Promise.all(
        ['upload', 'blob'].map((table) =>
          server.database.query(`update ${table} set created_at = created_at - interval '2 days'`),
        ),
      )
    const later = Date.now() + 2 * 86_400_000
    await age()
    await collectGarbage(server.running.context, later)
    for (const what of ['download', 'image'])
      expect((await server.admin('GET', `${path}${id}/${what}`)).status).toBe(200)
    await server.admin('DELETE', `${path}${id}`)
    await age()
    expect((await collectGarbage(server.running.context, later)).files).toBe(2)
  })

  test('of a list are the complete result: some are kept, some changed, some added', async () => {
    const server = await start()
    const { attach, feature, list, refuse } = await open(server)
    const [one, two, three] = [await attach('one'), await attach('two'), await attach('three')]
    const upload = await uploadContent(server.admin, 'four')
    const before = await list()
    const attachment = [
      { ...before.find(({ id }) => id === two), description: 'second' },
      { id: three },
      { name: 'four.txt', file_upload: upload },
    ]
    expect((await server.admin('PUT', feature, { extensions: { attachment } })).status).toBe(200)
    expect((await list()).map(({ id, name, description }) => [id, name, description])).toEqual([
      [two, 'file.bin', 'second'],
      [three, 'file.bin', null],
      [expect.any(Number), 'four.txt', null],
    ])
    const after = await list()
    const wrong = [
      [[{ id: one }], `has no attachment ${one}`],
      [[{ id: 1e300 }], 'has no attachment'],
      [[{ name: 'nothing' }], 'file_upload'],
      [[{ name: 'a', file_upload: { id: '0'.repeat(32) } }], 'there is no upload'],
      [[{ id: two, name: 'a/b' }], 'has a slash'],
      ['text', '$.extensions.attachment'],
    ] as const
    for (const [list, message] of wrong)
      expect(await refuse('PUT', feature, { extensions: { attachment: list } })).toMatchObject({
        status: 422,
        message: expect.stringContaining(message),
      })
    expect(await list()).toEqual(after)
    await server.admin('PUT', feature, { extensions: { attachment: null } })
    expect(await list()).toEqual([])
  })

  test('of another feature are not accessible', async () => {
    const server = await start()
    const { layer, features, attach, path, refuse } = await open(server)
    const id = await attach('text')
    await server.admin('POST', features, { geom: 'POINT(1 2)' })
    const other = openAttachments(server.admin, layer, 2)
    const missing = { status: 404, code: 'attachment/not-found' }
    for (const [method, what, body] of [
      ['GET', `${id}`],
      ['PUT', `${id}`, { name: 'x' }],
      ['DELETE', `${id}`],
      ['GET', `${id}/download`],
      ['GET', `${id}/image`],
    ] as const)
      expect(await refuse(method, other.path + what, body)).toMatchObject(missing)
    const taken = { extensions: { attachment: [{ id }] } }
    expect((await server.admin('PUT', other.feature, taken)).status).toBe(422)
    expect((await server.admin('GET', `${path}${id}`)).status).toBe(200)
    expect(await refuse('GET', `${path}99999999999`)).toMatchObject(missing)
    const nowhere = openAttachments(server.admin, layer, 99).path
    for (const method of ['GET', 'POST'])
      expect(
        await refuse(method, nowhere, method === 'GET' ? undefined : { file_upload: { id: 'x' } }),
      ).toMatchObject({ status: 404, code: 'feature/not-found' })
  })

  test('are also written with PATCH, atomically', async () => {
    const server = await start()
    const { layer, features } = await open(server)
    const upload = await uploadContent(server.admin, await makePhoto())
    const attachment = [{ name: 'a.jpg', mime_type: 'image/jpeg', file_upload: upload }]
    const entries = [
      { geom: 'POINT(1 1)', extensions: { attachment, description: 'new' } },
      { id: 1, extensions: { attachment } },
      { id: 1, extensions: { description: 'later' } },
    ]
    const failed = await server.admin('PATCH', features, [...entries, { id: 99, fields: {} }])
    expect(failed.status).toBe(404)
    expect(await countRows(server, layer)).toEqual({ attached: 0, described: 0 })
    const made = await (await server.admin('PATCH', features, entries)).json<{ id: number }[]>()
    const [first, second] = made.map(({ id }) => openAttachments(server.admin, layer, id))
    expect(await first?.extensions()).toMatchObject({ description: 'new', attachment: [{ is_image: true }] })
    const changed = await second?.extensions()
    expect(changed).toMatchObject({ description: 'later', attachment: [{ name: 'a.jpg' }] })
    const image = `${second?.path}${changed?.attachment?.[0]?.id}/image`
    expect(await readPhoto(await server.admin('GET', image))).toMatchObject({ width: 60 })
  })

  test('are read with data.read and written with data.write', async () => {
    const server = await start()
    const { layer, attach, path, feature } = await open(server)
    const id = await attach('text')
    const reads = ['', `${id}`, `${id}/download`]
    for (const what of reads) expect((await server.guest('GET', path + what)).status).toBe(403)
    await publishLayer(server.database, layer)
    for (const what of reads) expect((await server.guest('GET', path + what)).status).toBe(200)
    const upload = await uploadContent(server.guest, 'mine')
    const writes = [
      ['POST', path, { name: 'x', file_upload: upload }],
      ['PUT', `${path}${id}`, { name: 'x' }],
      ['DELETE', `${path}${id}`],
      ['PUT', feature, { extensions: { attachment: [] } }],
    ] as const
    for (const [method, at, body] of writes) expect((await server.guest(method, at, body)).status).toBe(403)
    expect(await countRows(server, layer)).toEqual({ attached: 1, described: 0 })
  })

  test('have file names that are valid on every client', async () => {
    const server = await start()
    const { attach, path, list, refuse } = await open(server)
    for (const name of ['a/b', 'a\\b', '..', '.', ' ', '', 'a\u0007b', 'ä'.repeat(200)])
      expect(
        await refuse('POST', path, { name, file_upload: await uploadContent(server.admin, 'x') }),
        name,
      ).toMatchObject({ status: 422 })
    const unnamed = { file_upload: await uploadContent(server.admin, 'x') }
    expect((await refuse('POST', path, unnamed)).message).toContain('the upload has no name')
    const form = new FormData()
    form.append('files[]', new Blob(['x']), 'tour/day 1/a.txt')
    const sent = await server.admin('POST', '/api/component/file_upload/', form)
    const { upload_meta: metas } = await sent.json<{ upload_meta: { id: string }[] }>()
    await server.admin('POST', path, { file_upload: metas[0] })
    await attach('x', { name: '日本.txt' })
    expect((await list()).map(({ name }) => name)).toEqual(['a.txt', '日本.txt'])
  })

  test('are created once for an idempotency key, however often the request is sent', async () => {
    const server = await start()
    const { path, list } = await open(server)
    const body = { name: 'a.jpg', file_upload: await uploadContent(server.admin, await makePhoto()) }
    const headers = { 'idempotency-key': `attach-${layers}` }
    const ids = []
    for (let times = 0; times < 2; times++)
      ids.push((await (await server.admin('POST', path, body, headers)).json<{ id: number }>()).id)
    expect(ids).toEqual([expect.any(Number), ids[0]])
    expect(await list()).toHaveLength(1)
  })

  test('do not change the data version', async () => {
    const server = await start()
    const { layer, attach, path } = await open(server)
    const read = async () =>
      (await server.database.query('select data_version from layer where resource_id = $1::int', [layer]))[0]
    const before = await read()
    const id = await attach('text')
    await server.admin('PUT', `${path}${id}`, { description: 'told' })
    await server.admin('DELETE', `${path}${id}`)
    expect(await read()).toEqual(before)
  })
})
