import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeRaster } from '../support/raster.ts'
import { createGroup } from '../support/resources.ts'
import { adminPassword, describeServer, type TestServer } from '../support/server.ts'

const run = promisify(execFile)
const login = `USERPWD=administrator:${adminPassword}`

interface Child {
  readonly resource: { readonly id: number; readonly cls: string; readonly display_name: string }
}

describeServer('the programs of GDAL', (start) => {
  let server: TestServer
  let folder = ''
  let file = ''
  beforeAll(async () => {
    server = await start()
    folder = await mkdtemp(join(tmpdir(), 'landform-gdal-raster-'))
    file = join(folder, 'photo.tif')
    await writeFile(
      file,
      makeRaster({ width: 500, height: 400, srs: 3857, geoTransform: [1e6, 10, 0, 6e6, 0, -10] }),
    )
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const listChildren = async (parent: number) =>
    (await server.admin('GET', `/api/resource/?parent=${parent}`)).json<Child[]>()

  test('copy a raster to the server, with its style, and read its pixels over HTTP', async () => {
    const group = await createGroup(server.admin, 0, { display_name: 'Copied' })
    await run('gdal_translate', [
      '-of',
      'NGW',
      file,
      `NGW:${server.url}/resource/${group}/photo`,
      '-co',
      login,
    ])
    const [layer] = await listChildren(group)
    expect(layer?.resource).toMatchObject({ cls: 'raster_layer', display_name: 'photo' })
    const id = layer?.resource.id ?? 0
    expect((await listChildren(id)).map(({ resource }) => resource.cls)).toEqual(['raster_style'])
    const config = ['--config', 'GDAL_HTTP_USERPWD', `administrator:${adminPassword}`]
    const { stdout } = await run('gdalinfo', [
      ...config,
      '-json',
      '-checksum',
      `/vsicurl/${server.url}/api/resource/${id}/cog`,
    ])
    const { stdout: local } = await run('gdalinfo', ['-json', '-checksum', file])
    const [remoteInfo, localInfo] = [stdout, local].map(
      (text) => JSON.parse(text) as { size: number[]; geoTransform: number[]; bands: { checksum: number }[] },
    )
    expect(remoteInfo?.size).toEqual(localInfo?.size)
    expect(remoteInfo?.geoTransform).toEqual(localInfo?.geoTransform)
    expect(remoteInfo?.bands.slice(0, 3).map(({ checksum }) => checksum)).toEqual(
      localInfo?.bands.map(({ checksum }) => checksum),
    )
  })
})
