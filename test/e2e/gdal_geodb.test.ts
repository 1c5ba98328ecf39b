import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTables, useForeign } from '../support/geodb.ts'
import { adminPassword, describeServer } from '../support/server.ts'

const run = promisify(execFile)
const openForeign = useForeign()

describeServer(
  'the NGW driver of GDAL, in the NextGIS dialect',
  (start) => {
    const { openLayer } = openTables(start, openForeign)
    let folder = ''
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'landform-gdal-geodb-'))
    })
    afterAll(() => rm(folder, { recursive: true, force: true }))

    test('lists, reads, filters and writes a layer of a foreign table', async () => {
      const { url } = await start()
      const columns =
        'gid bigserial primary key, way geometry(Point, 3857), name varchar(20), people int, since date'
      const names = { column_id: 'gid', column_geom: 'way' }
      const { id, execute, admin } = await openLayer('towns', columns, names)
      await execute(`insert into towns (way, name, people, since) values
        (ST_SetSRID(ST_MakePoint(1200000, 8300000), 3857), 'Oslo', 709000, '1048-01-01'),
        (ST_SetSRID(ST_MakePoint(1800000, 6100000), 3857), 'Wien', 2000000, '0881-05-06')`)
      const read = await (await admin('GET', `/api/resource/${id}`)).json<{ resource: { cls: string } }>()
      expect(read).toMatchObject({
        resource: { cls: 'postgis_layer' },
        postgis_layer: { geometry_type: 'POINT', srs: { id: 3857 }, table: 'towns' },
      })
      const login = ['-oo', `USERPWD=administrator:${adminPassword}`]
      const dataset = `NGW:${url}/resource/${id}`
      const info = async (...args: string[]) => (await run('ogrinfo', [...login, ...args, dataset])).stdout
      expect(await info()).toContain('1: Of towns')
      const all = await info('-al')
      expect(all).toContain('Feature Count: 2')
      expect(all).toMatch(
        /name \(String\) = Wien.*people \(Integer\) = 2000000.*since \(Date\) = 0881\/05\/06/s,
      )
      expect(await info('-al', '-where', "name = 'Oslo'", '-q')).toMatch(/Oslo/)
      expect(await info('-al', '-where', "name = 'Oslo'", '-q')).not.toMatch(/Wien/)
      const csv = join(folder, 'more.csv')
      await writeFile(csv, 'name,people,since,x,y\nBern,134000,1191-01-01,830000,5930000\n')
      const into = ['-f', 'NGW', '-update', '-append', dataset, '-doo', login[1] ?? '', csv]
      const reading = [
        '-oo',
        'X_POSSIBLE_NAMES=x',
        '-oo',
        'Y_POSSIBLE_NAMES=y',
        '-oo',
        'KEEP_GEOM_COLUMNS=NO',
      ]
      await run('ogr2ogr', [...into, ...reading, '-a_srs', 'EPSG:3857', '-nln', 'Of towns'])
      const written = 'select name, people, since::text, ST_AsText(way) as way from towns where gid = 3'
      expect(await execute(written)).toEqual([
        { name: 'Bern', people: 134_000, since: '1191-01-01', way: 'POINT(830000 5930000)' },
      ])
    })
  },
  { dialect: 'nextgis' },
)
