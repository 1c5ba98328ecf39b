import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openLayerClient } from '../support/layer_client.ts'
import { createGroup } from '../support/resources.ts'
import { adminPassword, describeServer, type TestServer } from '../support/server.ts'
import { geojson, point } from '../support/vector.ts'

const run = promisify(execFile)
const login = `USERPWD=administrator:${adminPassword}`

const town = (name: string, people: number, since: string, position: readonly [number, number]) => ({
  geometry: point(...position),
  properties: { name, people, since },
})

const towns = geojson([
  town('Oslo', 709_000, '1048-01-01', [10.74, 59.91]),
  town('Wien', 2_000_000, '0881-05-06', [16.37, 48.21]),
  town('Łódź', 650_000, '1423-07-29', [19.46, 51.77]),
])

/** A VRT file that adds metadata to another file; the keys have type suffixes. */
function describedVrt(file: string): string {
  const items = '<MDI key="source">survey</MDI><MDI key="year.d">2021</MDI>'
  const metadata = `<Metadata domain="NGW">${items}</Metadata>`
  const layer = `<SrcDataSource>${file}</SrcDataSource><SrcLayer>towns</SrcLayer>`
  return `<OGRVRTDataSource><OGRVRTLayer name="described">${metadata}${layer}</OGRVRTLayer></OGRVRTDataSource>`
}

interface Representation {
  readonly resource: object
  readonly resmeta: { readonly items: object }
  readonly feature_layer?: { readonly fields: readonly { readonly keyname: string }[] }
}

describeServer('the NGW driver of GDAL', (start) => {
  let server: TestServer
  let folder = ''
  let file = ''
  let group = 0

  beforeAll(async () => {
    server = await start()
    folder = await mkdtemp(join(tmpdir(), 'landform-gdal-client-'))
    file = join(folder, 'towns.geojson')
    await writeFile(file, towns)
    group = await createGroup(server.admin, 0, { display_name: 'Written by GDAL' })
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const dataset = (id: number) => `NGW:${server.url}/resource/${id}`
  const info = async (...args: string[]) => (await run('ogrinfo', ['-oo', login, ...args])).stdout
  const write = async (...args: string[]) => {
    const into = ['-f', 'NGW', '-update', dataset(group), '-doo', login, file, '-t_srs', 'EPSG:3857']
    await run('ogr2ogr', [...into, ...args])
  }
  const findLayer = async (name: string): Promise<number | undefined> => {
    const answer = await server.admin('GET', `/api/resource/search/?display_name=${name}`)
    return (await answer.json<{ resource: { id: number } }[]>())[0]?.resource.id
  }
  const readResource = async (id: number) =>
    (await server.admin('GET', `/api/resource/${id}`)).json<Representation>()
  const namesOf = async (id: number) =>
    (await openLayerClient(server).features(id)).map(({ fields }) => fields.name)

  test('writes a layer with its fields, appends to it, and reads it back unchanged', async () => {
    await write('-nln', 'towns', '-lco', 'KEY=gdal_towns')
    const id = (await findLayer('towns')) ?? 0
    expect(await namesOf(id)).toEqual(['Oslo', 'Wien', 'Łódź'])
    expect(await info(dataset(group))).toContain('1: towns (Point)')
    const back = join(folder, 'back.geojson')
    const fields = 'select name, people, since from towns order by people'
    const how = ['-t_srs', 'EPSG:4326', '-sql', fields, '-lco', 'COORDINATE_PRECISION=5']
    await run('ogr2ogr', ['-f', 'GeoJSON', back, dataset(id), '-oo', login, ...how])
    const { stdout } = await run('ogrinfo', ['-q', '-al', back])
    expect(stdout).toMatch(
      /name \(String\) = Łódź.*people \(Integer\) = 650000.*since \(Date\) = 1423\/07\/29/s,
    )
    expect(stdout).toContain('POINT (19.46 51.77)')
    await write('-append', '-nln', 'towns')
    expect(await namesOf(id)).toHaveLength(6)
  })

  test('reads the features in a bounding box that match a condition', async () => {
    await write('-nln', 'filtered')
    const id = (await findLayer('filtered')) ?? 0
    const box = ['-spat', '1000000', '6000000', '3000000', '9000000']
    const found = await info('-q', '-al', '-geom=NO', ...box, '-where', 'people < 700000', dataset(id))
    expect(found.match(/name \(String\) = .*/g)).toEqual(['name (String) = Łódź'])
  })

  test('empties a layer and deletes it', async () => {
    await write('-nln', 'gone')
    const id = (await findLayer('gone')) ?? 0
    await info(dataset(id), '-update', '-sql', 'DELETE FROM gone')
    expect(await namesOf(id)).toEqual([])
    await info(dataset(group), '-update', '-sql', 'DELLAYER:gone')
    expect(await findLayer('gone')).toBeUndefined()
  })

  test('creates a group and a layer in it, with numbers and strings as metadata', async () => {
    const source = join(folder, 'described.vrt')
    await writeFile(source, describedVrt(file))
    const name = `NGW:${server.url}/resource/${group}/made`
    await run('ogr2ogr', ['-f', 'NGW', name, '-dsco', login, source, '-t_srs', 'EPSG:3857'])
    const created = (await findLayer('made')) ?? 0
    expect(await readResource(created)).toMatchObject({
      resource: { cls: 'resource_group', parent: { id: group } },
    })
    const inside = (await findLayer('described')) ?? 0
    expect(await readResource(inside)).toMatchObject({
      resource: { parent: { id: created } },
      resmeta: { items: { source: 'survey', year: 2021 } },
    })
    expect(await namesOf(inside)).toHaveLength(3)
    expect(await info('-mdd', 'all', dataset(inside), 'described')).toMatch(/source=survey.*year.d=2021/s)
  })

  test('replaces a layer with -overwrite', async () => {
    await write('-nln', 'twice')
    const first = await findLayer('twice')
    await write('-nln', 'twice', '-overwrite', '-select', 'name')
    const second = (await findLayer('twice')) ?? 0
    expect(second).not.toBe(first)
    const { feature_layer } = await readResource(second)
    expect(feature_layer?.fields.map(({ keyname }) => keyname)).toEqual(['name'])
    expect(await namesOf(second)).toHaveLength(3)
  })

  test('renames a layer and keeps its features', async () => {
    await write('-nln', 'old name')
    const id = (await findLayer('old name')) ?? 0
    await info(dataset(group), '-update', '-sql', 'ALTER TABLE "old name" RENAME TO "new name"')
    expect(await findLayer('new name')).toBe(id)
    expect(await namesOf(id)).toHaveLength(3)
  })

  test('deletes a group with its content', async () => {
    const name = `NGW:${server.url}/resource/${group}/shortlived`
    const options = ['-f', 'NGW', name, '-dsco', login, file, '-t_srs', 'EPSG:3857', '-nln', 'lost']
    await run('ogr2ogr', options)
    const id = (await findLayer('shortlived')) ?? 0
    expect(await findLayer('lost')).toBeDefined()
    const env = { ...process.env, NGW_USERPWD: login.replace('USERPWD=', '') }
    await run('gdalmanage', ['delete', '-f', 'NGW', dataset(id)], { env })
    expect(await findLayer('shortlived')).toBeUndefined()
    expect(await findLayer('lost')).toBeUndefined()
  })

  test('fails for a resource that guests cannot read', async () => {
    await expect(run('ogrinfo', [dataset(group)])).rejects.toMatchObject({
      stdout: expect.stringContaining('FAILURE'),
    })
  })
})
