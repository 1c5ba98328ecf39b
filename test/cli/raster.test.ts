import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeRaster } from '../support/raster.ts'
import { administratorEnv, startTestServer, type TestServer } from '../support/server.ts'
import { makeZip } from '../support/zip.ts'
import { runCommand } from './terminal.ts'

/** An archive with a raster without a reference system, and one beside it. */
const archiveWith = (system: string) =>
  makeZip([
    { name: 'map.tif', content: makeRaster({ srs: null }) },
    { name: 'map.prj', content: system },
  ])

let server: TestServer
let cwd: string

beforeAll(async () => {
  server = await startTestServer('postgres')
  cwd = await mkdtemp(join(tmpdir(), 'landform-cli-'))
})

afterAll(async () => {
  await server.stop()
  await rm(cwd, { recursive: true, force: true })
})

const manifest = (layer: string) => `manifest: pictures
resources:
  root:
    existing: true
    id: 0
    children:
      pictures:
        cls: resource_group
        display_name: Pictures
        children:
          photo:
            cls: raster_layer
            display_name: Photo
${layer}            children:
              photo_style: { cls: raster_style, display_name: Style }
          map:
            cls: webmap
            display_name: Map
            webmap:
              root_item:
                item_type: root
                children: [{ item_type: layer, display_name: Photo, layer_style_id: photo_style }]
`
const withData = manifest('            data: { source: photo.tif }\n')

const env = () => administratorEnv(server.url)
const run = (words: readonly string[]) => runCommand(words, { cwd, env: env() })
const write = (name: string, content: string | Uint8Array) => writeFile(join(cwd, name), content)
const picture = (color: number) =>
  makeRaster({ srs: 3857, geoTransform: [0, 1, 0, 0, 0, -1], value: () => color })

interface Photo {
  readonly resource: { readonly id: number; readonly keyname: string }
  readonly raster_layer: { readonly data_version: number }
}

const findPhoto = async () => {
  const found = await server.admin('GET', '/api/resource/search/?keyname=photo&serialization=full')
  const [photo] = await found.json<Photo[]>()
  return photo
}

describe('a raster layer in a manifest', () => {
  it('requires a source, which the plan reports', async () => {
    await write('bare.yaml', manifest(''))
    const planned = await run(['plan', 'bare.yaml'])
    expect(planned.exit).toBe(3)
    expect(planned.out + planned.err).toContain('cannot create "photo": a raster_layer requires a data file')
    expect(await findPhoto()).toBeUndefined()
  })

  it('is loaded with its layer, style and map, after which the plan is empty', async () => {
    await write('photo.yaml', withData)
    await write('photo.tif', picture(10))
    const applied = await run(['apply', 'photo.yaml', '--yes'])
    expect(applied.exit).toBe(0)
    expect(applied.out).toMatch(/Plan for pictures: 4 to create/)
    expect((await run(['plan', 'photo.yaml'])).out).toContain('0 changes')
    const exported = await run(['data', 'export', 'photo', '-o', 'copy.tif'])
    expect(exported.out).toMatch(/^copy.tif: Photo, the original file, /)
    expect(await readFile(join(cwd, 'copy.tif'))).toEqual(await readFile(join(cwd, 'photo.tif')))
    expect((await run(['data', 'export', 'photo', '-o', 'copy.gpkg'])).err).toContain(
      'with the extension .tif',
    )
    expect((await run(['data', 'export', 'map', '-o', 'map.tif'])).err).toContain('not a raster layer')
  })

  it('is replaced in place when its file changes, and overwrites a raster changed on the server only with the option', async () => {
    const before = await findPhoto()
    await write('photo.tif', picture(20))
    expect((await run(['plan', 'photo.yaml'])).out).toMatch(/photo .*\n.*data/)
    expect((await run(['apply', 'photo.yaml', '--yes'])).exit).toBe(0)
    const after = await findPhoto()
    expect(after?.resource.id).toBe(before?.resource.id)
    expect(after?.raster_layer.data_version).toBe(2)
    expect((await run(['plan', 'photo.yaml'])).out).toContain('0 changes')
    const sent = await server.admin('PUT', '/api/component/file_upload/', picture(30))
    const path = `/api/resource/${after?.resource.id}`
    const changed = await server.admin('PUT', path, { raster_layer: { source: await sent.json() } })
    expect(changed.status).toBe(200)
    expect(await run(['plan', 'photo.yaml'])).toMatchObject({
      exit: 1,
      out: expect.stringMatching(/photo\.tif .* replaces the data\n +overwrites data edited/),
      err: expect.stringContaining('plan/data-edited'),
    })
    expect((await run(['apply', 'photo.yaml', '--yes', '--overwrite-data', 'photo'])).exit).toBe(0)
    expect((await run(['plan', 'photo.yaml'])).out).toContain('0 changes')
  })

  it('is not changed if the file is not a raster, and the error is reported', async () => {
    const before = await findPhoto()
    await write('photo.tif', makeRaster({ bands: 2 }))
    const failed = await run(['apply', 'photo.yaml', '--yes'])
    expect(failed.exit).toBe(3)
    expect(failed.err + failed.out).toContain('cannot be loaded: the raster has 2 bands, not 1, 3 or 4')
    expect(await findPhoto()).toEqual(before)
    await write('photo.tif', picture(20))
    expect((await run(['plan', 'photo.yaml'])).out).toContain('0 changes')
  })

  it('is pulled without its data, which the plan says are no longer set', async () => {
    const pulled = await run(['pull', '--root', 'pictures', '--into', 'pulled', '--manifest', 'pictures'])
    expect(pulled.err).toContain('the data of 1 resource are not pulled: photo')
    expect(pulled.exit).toBe(0)
    const text = await readFile(join(cwd, 'pulled', 'pictures.yaml'), 'utf8').catch(() => '')
    expect(text + pulled.out).toContain('photo')
    const planned = await run(['plan', 'pulled'])
    expect(planned.out).toMatch(
      /data +no longer set by this manifest; the value stays: features and pixels are kept/,
    )
    expect(planned.out).toContain('1 to update, 4 unchanged')
    expect((await run(['apply', 'pulled', '--yes'])).exit).toBe(0)
    expect((await run(['plan', 'pulled'])).out).toContain('0 changes')
  })
})

it.each([
  ['nowhere.tif', makeRaster({ srs: null }), 'source/no-srs', '"nowhere.tif" has no reference system'],
  ['bands.tif', makeRaster({ bands: 2 }), 'source/bad-raster', 'the raster has 2 bands, not 1, 3 or 4'],
  ['empty.zip', archiveWith(''), 'source/bad-raster', 'the .prj file is empty'],
  ['wrong.zip', archiveWith('PROJCS['), 'source/bad-raster', 'the .prj file has no reference system'],
])('the raster %s is read before anything is uploaded', async (source, content, code, why) => {
  await write(source, content)
  await write(
    'checked.yaml',
    `manifest: checked
resources:
  root: { existing: true, id: 0 }
  checked: { cls: raster_layer, parent: root, display_name: Checked, data: { source: ${source} } }
`,
  )
  for (const command of [
    ['validate', 'checked.yaml'],
    ['plan', 'checked.yaml'],
  ]) {
    const { exit, out, err } = await run(command)
    expect([command[0], exit, out + err]).toEqual([
      command[0],
      3,
      expect.stringContaining(`${code}: the source of "checked" cannot be loaded: ${why}`),
    ])
  }
})

it.each([
  ['places.geojson', '{ "type": "FeatureCollection", "features": [] }', 'it is not a TIFF file'],
  ['empty.tif', '', 'it is empty'],
])('a source %s is no raster, which validate and plan report at its place', async (source, content, why) => {
  await write(source, content)
  await write(
    'wrong.yaml',
    `manifest: wrong
resources:
  root: { existing: true, id: 0 }
  wrong:
    cls: raster_layer
    parent: root
    display_name: Wrong
    data: { source: ${source} }
`,
  )
  for (const command of ['validate', 'plan']) {
    const { exit, out, err } = await run([command, 'wrong.yaml'])
    expect([exit, `${err}${out}`]).toEqual([
      3,
      expect.stringMatching(
        `^wrong.yaml:8:11 error source/unreadable: the source of "wrong" cannot be loaded: .*${source}.* cannot be read: ${why}\n`,
      ),
    ])
  }
})
