import { expect, test } from 'vitest'
import { readExport } from '../../support/exports.ts'
import { createGeodbLayer, openTables, useForeign } from '../../support/geodb.ts'
import { describeServer } from '../../support/server.ts'

const openForeign = useForeign()

describeServer('a layer of a foreign table', (start) => {
  const tables = openTables(start, openForeign)

  test('supports export, with single geometries among multi ones, 64-bit ids and exact values', async () => {
    const table = 'exported'
    const columns = 'id bigint primary key, geom geometry, label varchar(9), at timestamptz'
    const { execute } = await tables.open()
    await execute(`drop table if exists ${table} cascade; create table ${table} (${columns})`)
    await execute(`insert into ${table} values
      (5000000000, 'SRID=4326;POINT(1 2)', 'one', null),
      (5000000001, 'SRID=4326;MULTIPOINT(1 2, 3 4)', 'two', null),
      (5000000002, null, 'none', null)`)
    const { admin, connection } = await tables.open()
    const id = await createGeodbLayer(admin, { name: 'Of exported', table, connection })
    for (const format of ['GPKG', 'GeoJSON', 'CSV', 'FlatGeobuf']) {
      const { layers } = await readExport(admin, id, `format=${format}&fid=nr&fields=label&srs=4326`)
      const [layer] = layers
      expect(layer?.srs?.startsWith('+proj=longlat')).toBe(true)
      expect(layer?.features.map(({ values }) => [values.nr, values.label])).toEqual([
        [5000000000, 'one'],
        [5000000001, 'two'],
        [5000000002, 'none'],
      ])
      expect(layer?.features[1]?.wkt?.replaceAll(/[() ]+/g, ' ')).toBe('MULTIPOINT 1 2,3 4 ')
    }
  })
})
