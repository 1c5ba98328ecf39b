import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeRaster } from '../support/raster.ts'
import { adminPassword, startTestServer, type TestServer } from '../support/server.ts'
import { makeZip } from '../support/zip.ts'
import { type Ran, runCommand } from './terminal.ts'

let server: TestServer
let other: TestServer
let cwd: string

beforeAll(async () => {
  server = await startTestServer('postgres')
  other = await startTestServer('postgres')
  cwd = await mkdtemp(join(tmpdir(), 'landform-pull-'))
})

afterAll(async () => {
  await server.stop()
  await other.stop()
  await rm(cwd, { recursive: true, force: true })
})

function runOn({ url }: TestServer, ...words: readonly string[]): Promise<Ran> {
  const env = { LANDFORM_SERVER: url, LANDFORM_USER: 'administrator', LANDFORM_PASSWORD: adminPassword }
  return runCommand(words, { cwd, env })
}

/** Features with every datatype that files may lose: long and fractional numbers, dates, times, nulls, empty strings. */
const lots = {
  type: 'FeatureCollection',
  features: [
    {
      code: '007',
      size: 9_007_199_254_740_991,
      share: 0.1,
      day: '2024-02-29',
      at: '2024-02-29T12:34:56',
      none: null,
    },
    { code: '', size: -1, share: 1e-7, day: null, at: null, none: null },
    { code: 'Ünï "quoted"', size: 0, share: null, day: '1850-01-01', at: '2000-01-01T00:00:00', none: 'x' },
  ].map((properties, index) => ({
    type: 'Feature',
    properties,
    geometry: { type: 'Point', coordinates: [10.1 + index / 3, 59.9] },
  })),
}

const qml = `<qgis><renderer-v2 type="singleSymbol"><symbols><symbol name="0" type="marker"><layer class="SimpleMarker">
  <prop k="color" v="1,2,3,255"/></layer></symbol></symbols></renderer-v2></qgis>
`

const manifest = `manifest: town
resources:
  root:
    existing: true
    id: 0
    children:
      town:
        cls: resource_group
        display_name: Town
        permissions: [{ action: allow, principal: guest, scope: resource, permission: read, propagate: true }]
        children:
          lots:
            cls: vector_layer
            display_name: Lots
            data: { source: lots.geojson }
            features:
              key: code
              descriptions: { '007': A spy., '': Nobody. }
              attachments:
                'Ünï "quoted"': [lots.qml, { path: lots.qml, name: 'Plan für.txt', mime_type: text/x-plan, description: Plan }]
            children:
              lots_style: { cls: desk_vector_style, display_name: QGIS, desk_vector_style: { qml: '\${file:lots.qml}' } }
              lots_form: { cls: formbuilder_form, display_name: Form, file: form.ngfp }
              lots_plain: { cls: mapsrv_style, display_name: Plain }
          plans:
            cls: file_bucket
            display_name: Plans
            files:
              - lots.geojson
              - { path: lots.qml, name: Ä/b.qml, mime_type: text/x-plan }
              - { path: lots.qml, name: south/b.qml }
              - { path: lots.qml, name: South/b.qml }
              - { path: lots.qml, name: South }
          empty:
            cls: vector_layer
            display_name: Empty
            vector_layer: { geometry_type: POINT, srs: { id: 3857 } }
          photo:
            cls: raster_layer
            display_name: Photo
            data: { source: photo.tif }
            children:
              photo_style: { cls: raster_style, display_name: Style }
          town_map:
            cls: webmap
            display_name: Map
            webmap:
              root_item:
                item_type: root
                children: [{ item_type: layer, display_name: Lots, layer_style_id: lots_style }]
`

async function featuresOf({ admin }: TestServer): Promise<unknown> {
  const [layer] = await (await admin('GET', '/api/resource/search/?keyname=lots')).json<
    { resource: { id: number } }[]
  >()
  return (await admin('GET', `/api/resource/${layer?.resource.id}/feature/`)).json()
}

it('writes a subtree with its data that creates the same tree on another server', async () => {
  await writeFile(join(cwd, 'lots.geojson'), JSON.stringify(lots))
  await writeFile(join(cwd, 'lots.qml'), qml)
  await writeFile(
    join(cwd, 'form.ngfp'),
    makeZip([{ name: 'form.json', content: '{ "title": "Lot", "elements": [] }' }]),
  )
  await writeFile(join(cwd, 'photo.tif'), await makeRaster({ width: 8, height: 8, bands: 3 }))
  await writeFile(join(cwd, 'town.yaml'), manifest)
  expect((await runOn(server, 'apply', 'town.yaml', '--yes')).exit).toBe(0)

  const pulled = await runOn(server, 'pull', '--root', 'town', '--into', 'backup', '--with-data')
  expect([pulled.exit, pulled.err]).toEqual([0, ''])
  expect(pulled.out).toBe('backup/town.yaml: 10 resources, 12 files\n')
  expect(await readFile(join(cwd, 'backup/town/plans/South/b.qml'), 'utf8')).toBe(qml)
  expect(await readFile(join(cwd, 'backup/town/plans/file_1'), 'utf8')).toBe(qml)
  expect(await readFile(join(cwd, 'backup/town/lots_style.qml'), 'utf8')).toBe(qml)
  const original = await readFile(join(cwd, 'photo.tif'))
  expect((await readFile(join(cwd, 'backup/town/photo.tif'))).equals(original)).toBe(true)

  const same = await runOn(server, 'plan', 'backup')
  expect(same.out).toBe('Plan for town: 0 changes, 11 unchanged.\n')
  const applied = await runOn(other, 'apply', 'backup', '--yes')
  expect([applied.exit, applied.out]).toEqual([0, expect.stringContaining('10 created')])
  expect(await featuresOf(other)).toEqual(await featuresOf(server))
  expect(JSON.stringify(await featuresOf(other))).toContain('"description":"Plan"')
  const again = await runOn(other, 'pull', '--root', 'town', '--into', 'again', '--with-data')
  expect(again.exit).toBe(0)
  const texts = ['backup', 'again'].map((folder) => readFile(join(cwd, folder, 'town.yaml'), 'utf8'))
  expect(await texts[1]).toBe(await texts[0])
})

it('marks a layer on adoption as loaded from its pulled file, without mode: seed too', async () => {
  const adopted = await runOn(server, 'adopt', 'backup', '--yes')
  expect(adopted.out).toContain('lots  vector_layer')
  expect(adopted.out).toContain('data are those of town/lots.gpkg, and marked as loaded from it')
  const text = await readFile(join(cwd, 'backup/town.yaml'), 'utf8')
  await writeFile(join(cwd, 'backup/town.yaml'), text.replaceAll(/\n *mode: seed/g, ''))
  const plan = await runOn(server, 'plan', 'backup')
  expect(plan.out).not.toContain('lots')
})

it('refuses to overwrite files without --force, before it writes any', async () => {
  const refused = await runOn(server, 'pull', '--root', 'town', '--into', 'backup', '--with-data')
  expect([refused.exit, refused.err]).toEqual([3, expect.stringContaining('already exists')])
})
